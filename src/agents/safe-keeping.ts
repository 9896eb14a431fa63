/** Copies of sessions that their own agent may delete: Gemini CLI 0.61 deletes what was resumed last. */

import { copyFileSync, mkdirSync } from "node:fs";
import { basename, join } from "node:path";
import { ContinuoError } from "../model/index.ts";
import { continuoHome, type FoundSession, type Places } from "./reader/index.ts";

/** Where the copies lie. Errors: `unwritable`. */
export function keepSafe(found: FoundSession, places: Places): string {
  const folder = join(continuoHome(places), "safe-keeping", found.agent, found.sessionId);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const { path } of found.files) copyFileSync(path, join(folder, basename(path)));
  } catch (cause) {
    throw new ContinuoError("unwritable", `cannot copy the session to ${folder}`, { cause });
  }
  return folder;
}
