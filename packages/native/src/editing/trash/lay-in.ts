/**
 * Puts a session that nobody deleted into the trash, so that a session from another source is restored in the same way
 * as a deleted one.
 */

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ContinuoError, type SessionInfo } from "@continuo/core/model";
import {
  isRunning,
  isWriteFailure,
  listNames,
  makeFolderDurably,
  type Places,
  removeDurably,
  renameDurably,
  statFile,
  writeDurably,
  writeFailure,
} from "@continuo/files";
import type { RowsPlan } from "../../native/kit/index.ts";
import { writeNewPieces } from "../../native/writing/index.ts";
import type { KeptFile } from "./files.ts";
import { MANIFEST, type Manifest, trashFolder } from "./manifest.ts";
import type { KeptTable } from "./row-json.ts";
import { ROWS_FILE } from "./rows.ts";

export interface TrashFile {
  readonly path: string;
  pieces(): Iterable<Buffer>;
}

const BEGUN = ".laid-in-";

/** The rows of a session, and the tables in the order in which rows are removed from them. */
export interface TrashRows {
  readonly plan: RowsPlan;
  readonly tables: readonly KeptTable[];
}

interface LayOptions {
  readonly places: Places;
  readonly now: Date;
}

/**
 * Returns the trash id. The session counts as trashed only when it is complete. Incomplete folders of processes that
 * were killed are removed. Errors: `conflict` if another process is doing the same at this moment, `unwritable`,
 * those of reading a piece.
 */
export function layInTrash(info: SessionInfo, files: readonly TrashFile[], options: LayOptions): string {
  return lay(info, options, (begun) => {
    const kept = files.map((file, at) => layFile(file, at, begun));
    const paths = kept.map(({ from }) => from);
    return { plan: { type: "files", paths, indexLines: [], forks: [] }, files: kept };
  });
}

/** The same for a session of a database. Errors: as `layInTrash`. */
export function layRowsInTrash(info: SessionInfo, { plan, tables }: TrashRows, options: LayOptions): string {
  return lay(info, options, (begun) => {
    writeDurably(join(begun, ROWS_FILE), JSON.stringify(tables));
    return { plan, files: [] };
  });
}

type Content = Pick<Manifest, "plan" | "files">;

function lay(info: SessionInfo, { places, now }: LayOptions, write: (folder: string) => Content): string {
  const base = trashFolder(places);
  const trashId = `${now.toISOString().replace(/[:.]/gu, "-")}-${info.agent}-${info.sessionId}`.replace(
    /[^\w.-]/gu,
    "_",
  );
  if (existsSync(join(base, trashId)))
    throw new ContinuoError("conflict", "another program is restoring this session");
  const begun = join(base, `${BEGUN}${process.pid}`);
  try {
    removeLeftovers(base);
    makeFolderDurably(begun);
    const content = write(begun);
    writeDurably(join(begun, MANIFEST), JSON.stringify(manifestOf(trashId, info, content, now), null, 2));
    renameDurably(begun, join(base, trashId));
  } catch (cause) {
    removeFolderIfThere(begun);
    throw isWriteFailure(cause) ? writeFailure(`cannot write to ${base}`, cause) : cause;
  }
  return trashId;
}

/** Removes a session from the trash again if it could not be restored. */
export function takeOutOfTrash(trashId: string, places: Places): void {
  removeFolderIfThere(join(trashFolder(places), trashId));
}

function layFile({ path, pieces }: TrashFile, at: number, folder: string): KeptFile {
  const to = `files/${at}`;
  const hash = createHash("sha256");
  const hashed = function* (): Generator<Buffer> {
    for (const piece of pieces()) {
      hash.update(piece);
      yield piece;
    }
  };
  writeNewPieces(join(folder, to), hashed());
  const { mtimeMs = 0, sizeBytes = 0 } = statFile(join(folder, to)) ?? {};
  return { from: path, to, sizeBytes, mtimeMs, sha256: hash.digest("hex") };
}

function manifestOf(trashId: string, info: SessionInfo, content: Content, now: Date): Manifest {
  const { agent, sessionId, title, cwd, updatedAt, sizeBytes, location } = info;
  return {
    version: 1,
    trashId,
    trashedAt: now.toISOString(),
    info: { agent, sessionId, title, cwd, updatedAt, sizeBytes, location },
    ...content,
  };
}

function removeLeftovers(base: string): void {
  for (const name of listNames(base)) {
    if (name.startsWith(BEGUN) && !isRunning(Number(name.slice(BEGUN.length))))
      removeFolderIfThere(join(base, name));
  }
  removeFolderIfThere(join(base, `${BEGUN}${process.pid}`));
}

function removeFolderIfThere(folder: string): void {
  if (existsSync(folder)) removeDurably(folder, { recursive: true });
}
