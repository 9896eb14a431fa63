/**
 * Continuo as one file: an executable that has all of Continuo inside, and writes it to a folder at its first start.
 *
 * Promises: the folder is there whole or not at all, and only this user can have filled it; what starts Continuo later, such as
 * an agent or a timer, starts the executable and no file of one version.
 * Does not know: any command.
 */

import { resolve } from "node:path";
import { isSea } from "node:sea";

/** The words that start this command again, from any folder and without a search path. */
export function ownCommand({ cwd }: { readonly cwd: string }): readonly string[] {
  return isSea() ? [process.execPath] : [process.execPath, resolve(cwd, process.argv[1] ?? "")];
}
