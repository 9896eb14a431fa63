/** Copies of sessions that their own agent may delete: Gemini CLI 0.61 deletes the session that was resumed last. */

import { basename, join } from "node:path";
import {
  continuoHome,
  copyDurably,
  idInPath,
  makeFolderDurably,
  type Places,
  writeFailure,
} from "@continuo/files";
import type { FoundSession } from "../kit/index.ts";

/**
 * Copies the files to a safe place and returns its path. Errors: `invalid` for an id that is not a valid name,
 * `unwritable`.
 */
export function keepSafe(found: FoundSession, places: Places): string {
  const folder = join(continuoHome(places), "safe-keeping", found.agent, idInPath(found.sessionId));
  try {
    makeFolderDurably(folder);
    for (const { path } of found.files) copyDurably(path, join(folder, basename(path)));
  } catch (cause) {
    throw writeFailure(`cannot copy the session to ${folder}`, cause);
  }
  return folder;
}
