/** Restores a copy of the guard as files in a separate home, in which the agent's reader finds the session. */

import { createHash } from "node:crypto";
import { existsSync, readdirSync, statSync, utimesSync } from "node:fs";
import { dirname, join } from "node:path";
import { ContinuoError, type SessionInfo } from "@continuo/core/model";
import {
  fileOfLocation,
  isWriteFailure,
  makeFolderDurably,
  makeScratchFolder,
  type Places,
  removeDurably,
  renameDurably,
  writeFailure,
} from "@continuo/files";
import { formatOf } from "../../native/index.ts";
import { writeNewPieces } from "../../native/writing/index.ts";
import { stagedPath, stagedPlaces } from "../placing/index.ts";
import { keyOf, openedFolder } from "./folder.ts";
import type { GuardManifest, StoredState } from "./manifest.ts";
import { readPieces } from "./pieces.ts";

export interface OpenedCopy {
  /** A home that contains the session. */
  readonly places: Places;
  readonly location: string;
}

/** The number of homes that are kept, so that a session is not unpacked for every read. */
const MAX_OPENED = 4;

/**
 * Restores the newest state. Files that the agent's reader does not read, such as the history of edited files, are left
 * out. Later reads use the same home; it is never out of date, because a state never changes.
 *
 * Errors: `corrupt`, `unwritable`; `unsupported` if its agent uses another folder now.
 */
export async function openCopy(
  { info, states }: Pick<GuardManifest, "info" | "states">,
  places: Places,
): Promise<OpenedCopy> {
  const [state] = states;
  const reader = await formatOf(info.agent);
  if (state === undefined) throw notReadable(info);
  const name = createHash("sha256")
    .update(`${keyOf(info)} ${hashesOf(state)}`)
    .digest("hex")
    .slice(0, 32);
  const folder = openedFolder(places);
  const home = join(folder, name);
  const staged = stagedPlaces(reader, places, home);
  const placeOf = (path: string): string | null => stagedPath(path, { reader, places, staged });
  const location = placeOf(info.location);
  if (location === null) throw notReadable(info);
  if (existsSync(home)) {
    utimesSync(home, new Date(), new Date());
    return { places: staged, location };
  }
  try {
    await layOut(state, { home, folder, placeOf, places });
  } catch (cause) {
    throw isWriteFailure(cause) ? writeFailure(`cannot write to ${folder}`, cause) : cause;
  }
  return { places: staged, location };
}

/** The agent may use another folder since then. */
function notReadable(info: SessionInfo): ContinuoError {
  return new ContinuoError("unsupported", `${info.location} is not in a folder that ${info.agent} uses now`, {
    hint: "Set the variables of the agent as they were when the session was stored.",
  });
}

interface Layout {
  readonly home: string;
  readonly folder: string;
  readonly placeOf: (path: string) => string | null;
  readonly places: Places;
}

async function layOut({ files }: StoredState, { home, folder, placeOf, places }: Layout): Promise<void> {
  makeFolderDurably(folder);
  removeOldest(folder);
  const fresh = `${home}.new-${process.pid}`;
  for (const file of files) {
    const place = placeOf(file.from);
    if (place === null) continue;
    const path = join(fresh, place.slice(home.length));
    makeScratchFolder(dirname(path));
    if (file.rows) {
      const sql = Buffer.concat([...readPieces(file, places)]).toString("utf8");
      const { sqlToDatabase } = await import("./session-rows.ts");
      await sqlToDatabase(sql, fileOfLocation(path));
      continue;
    }
    writeNewPieces(path, readPieces(file, places));
    utimesSync(path, new Date(file.mtimeMs), new Date(file.mtimeMs));
  }
  renameDurably(fresh, home);
}

function hashesOf({ files }: StoredState): string {
  return files.map(({ sha256 }) => sha256).join(" ");
}

function removeOldest(folder: string): void {
  const names = readdirSync(folder).map((name) => ({ name, ms: statSync(join(folder, name)).mtimeMs }));
  names.sort((a, b) => b.ms - a.ms);
  for (const { name } of names.slice(MAX_OPENED - 1)) removeDurably(join(folder, name), { recursive: true });
}
