/** The folder of Continuo's own files. */

import { join, resolve } from "node:path";
import { ContinuoError } from "@continuo/core/model";
import type { Places } from "./places.ts";

/**
 * `$CONTINUO_HOME`, else `~/.continuo`.
 *
 * Errors: `usage` for a folder below `/proc`, because creating folders there with Node never returns.
 */
export function continuoHome(places: Places): string {
  const home = places.env.CONTINUO_HOME || join(places.home, ".continuo");
  if (!`${resolve(home)}/`.startsWith("/proc/")) return home;
  throw new ContinuoError("usage", `cannot use ${home} as CONTINUO_HOME: no folder can be created there`, {
    hint: "Set CONTINUO_HOME to another folder, or unset it for ~/.continuo.",
  });
}

/** The folders of Continuo: the default one, and the one that is used now. */
export function continuoFolders(places: Places): readonly string[] {
  return [join(places.home, ".continuo"), resolve(continuoHome(places))];
}

/**
 * Returns the folder that an environment variable names, or a folder below it; none if the variable is not set or
 * empty.
 */
export function moved(folder: string | undefined, ...below: readonly string[]): readonly string[] {
  return folder ? [resolve(join(folder, ...below))] : [];
}
