/** The folder of a conversation, which has to be there. */

import { statSync } from "node:fs";
import { ContinuoError } from "../../model/index.ts";

/** Errors: `not_found`. */
export function folderOf(cwd: string): string {
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() === true) return cwd;
  throw new ContinuoError("not_found", `the folder ${cwd} is not there`, {
    hint: "Make it again, or go on in another folder: `continuo handoff ID --to AGENT --cwd DIR`.",
  });
}
