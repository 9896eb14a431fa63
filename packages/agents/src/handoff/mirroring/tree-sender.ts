/** Sends a packed work tree in parts; new records of the session are sent before the next part. */

import { ContinuoError } from "@continuo/core/model";
import { readAt, statFile } from "@continuo/files";
import { type MirroredFile, startsWith, withFile } from "./files.ts";
import { BATCH_BYTES } from "./limits.ts";
import type { Answer, Request } from "./lines.ts";

export interface PackedTree {
  /** The fingerprint of the state. */
  readonly sha256: string;
  /** The folder of the work tree on this machine. */
  readonly folder: string;
  /** When it was read, ISO 8601. */
  readonly at: string;
  /** In the order in which they are sent; `there` is below the folder of the packed work tree. */
  readonly files: readonly MirroredFile[];
}

type Ask = (wish: Request, bytes?: Uint8Array) => Promise<Answer>;

/** Ends when the other machine has the whole work tree. Errors: those of the connection. */
export async function* sendTree(tree: PackedTree, ask: Ask): AsyncGenerator<void, void, void> {
  if (await isThere(tree, ask)) return;
  for (const file of tree.files) yield* sendFile(file, tree.sha256, ask);
  if (!(await isThere(tree, ask)))
    throw new ContinuoError("unavailable", "the work tree did not arrive whole");
}

async function isThere({ sha256, folder, at }: PackedTree, ask: Ask): Promise<boolean> {
  const said = await ask({ workTree: { sha256, folder, at } });
  return "workTree" in said && said.workTree === "there";
}

/** A part that came over an earlier connection is not sent again. */
async function* sendFile(
  { path, there }: MirroredFile,
  tree: string,
  ask: Ask,
): AsyncGenerator<void, void, void> {
  const sizeBytes = statFile(path)?.sizeBytes ?? 0;
  const had = await ask({ has: { path: there, tree } });
  const isBeginning =
    "file" in had &&
    had.file.sizeBytes <= sizeBytes &&
    (await startsWith(path, had.file.sizeBytes, had.file.sha256));
  if (!isBeginning || sizeBytes === 0) await ask({ empty: { path: there, tree } });
  for (let at = isBeginning ? had.file.sizeBytes : 0; at < sizeBytes; at += BATCH_BYTES) {
    const bytes = await withFile(path, (fd) => readAt(fd, at, Math.min(BATCH_BYTES, sizeBytes - at)));
    await ask({ append: { path: there, tree, offset: at, sizeBytes: bytes.length } }, bytes);
    yield;
  }
}
