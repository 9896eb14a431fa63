/** The folder of a new session: the one that the caller names, or the one that the source names. Never a guess. */

import { statSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { ContinuoError } from "@continuo/core/model";

/** For a command that has the flag. */
const NAME_ONE = "Name a folder with --cwd DIR.";

/** Errors: `usage` if neither names one by an absolute path, `not_found` if it is no folder. */
export function folderOf({ cwd: own }: { readonly cwd: string | null }, asked: string | undefined): string {
  if (asked === undefined && !isNamed(own)) throw folderNotNamed(own);
  const cwd = resolve(asked ?? own ?? "");
  const stat = statSync(cwd, { throwIfNoEntry: false });
  if (stat?.isDirectory() === true) return cwd;
  const what = stat === undefined ? `there is no folder ${cwd}` : `${cwd} is a file, not a folder`;
  throw new ContinuoError("not_found", what, { hint: NAME_ONE });
}

/** A relative path of a session has an unknown base. */
export function isNamed(cwd: string | null): cwd is string {
  return cwd !== null && isAbsolute(cwd);
}

/** Nobody named a folder by an absolute path: the person has to, whichever command asked. */
export function folderNotNamed(cwd: string | null, hint: string = NAME_ONE): ContinuoError {
  const what = cwd === null ? "does not name its folder" : `names its folder by a relative path: ${cwd}`;
  return new ContinuoError("usage", `the session ${what}`, { hint });
}
