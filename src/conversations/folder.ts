/** The folder of a conversation, which has to be there. */

import { statSync } from "node:fs";
import { ContinuoError } from "../model/index.ts";

/** Errors: `not_found`. */
export function folderOf(cwd: string): string {
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() === true) return cwd;
  throw new ContinuoError("not_found", `there is no folder ${cwd}`, {
    hint: "Create it again, or continue in another folder: `continuo handoff ID --to AGENT --cwd DIR`.",
  });
}
