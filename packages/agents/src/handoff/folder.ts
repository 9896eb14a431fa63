/** The folder of a new session: the caller or the source names it; it is never guessed. */

import { existsSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { ContinuoError } from "@continuo/core/model";
import { isFolder } from "@continuo/files";

/** The hint of commands that have the flag. */
const NAME_A_FOLDER = "Name a folder with --cwd DIR.";

/** Errors: `usage` if neither names a folder by an absolute path, `not_found` if the folder does not exist. */
export function folderOf({ cwd: own }: { readonly cwd: string | null }, asked: string | undefined): string {
  if (asked === undefined && !isAbsoluteFolder(own)) throw folderNotNamed(own);
  const cwd = resolve(asked ?? own ?? "");
  if (isFolder(cwd)) return cwd;
  const what = existsSync(cwd) ? `${cwd} is a file, not a folder` : `there is no folder ${cwd}`;
  throw new ContinuoError("not_found", what, { hint: NAME_A_FOLDER });
}

/** False for a relative path too, because it is not known from which folder it starts. */
export function isAbsoluteFolder(cwd: string | null): cwd is string {
  return cwd !== null && isAbsolute(cwd);
}

/** The error if the person has to name a folder, because the session names none by an absolute path. */
export function folderNotNamed(cwd: string | null, hint: string = NAME_A_FOLDER): ContinuoError {
  const what = cwd === null ? "does not name its folder" : `names its folder by a relative path: ${cwd}`;
  return new ContinuoError("usage", `the session ${what}`, { hint });
}
