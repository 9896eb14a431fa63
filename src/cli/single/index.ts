/**
 * Continuo as one file: an executable that contains all of Continuo, and writes it to a folder at its first start.
 *
 * Promises: the folder exists completely or not at all, and only this user can have filled it; programs that start
 * Continuo later, such as an agent or a timer, start the executable and no file of a single version.
 * Does not know: any command.
 */

import { resolve, sep } from "node:path";
import { isSea } from "node:sea";
import { ContinuoError } from "@continuo/core/model";

/**
 * The words that start this command again, from any folder and without a search path. Errors: `unsupported` if `npx`
 * runs it, from a folder that npx later empties.
 *
 * @param script the file that Node runs
 */
export function ownCommand(
  { cwd }: { readonly cwd: string },
  script: string = process.argv[1] ?? "",
): readonly string[] {
  if (isSea()) return [process.execPath];
  if (!isOfNpx(cwd, script)) return [process.execPath, resolve(cwd, script)];
  throw new ContinuoError(
    "unsupported",
    "npx keeps Continuo only for a while, so no program can start it later",
    {
      hint: "Run `npm install --global continuo`, and then this command with `continuo`.",
    },
  );
}

/** The words of `ownCommand` for a plan that is only shown: under `npx`, those of an installed command. */
export function shownCommand(
  { cwd }: { readonly cwd: string },
  script: string = process.argv[1] ?? "",
): readonly string[] {
  return !isSea() && isOfNpx(cwd, script) ? ["continuo"] : ownCommand({ cwd }, script);
}

function isOfNpx(cwd: string, script: string): boolean {
  return resolve(cwd, script).split(sep).includes("_npx");
}
