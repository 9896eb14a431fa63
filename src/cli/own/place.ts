/** Whether there is a store to ask, found out without loading one. */

import { existsSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { continuoHome } from "../../agents/index.ts";
import { placesOf } from "../places/index.ts";
import type { Shell } from "../terminal/index.ts";

/** `CONTINUO_STORE`, else the database of `CONTINUO_HOME`; `null` where no file is: looking makes none. */
export function ownStoreUrl(shell: Shell): string | null {
  const url = shell.env.CONTINUO_STORE || "sqlite:";
  const rest = /^sqlite:(.*)$/isu.exec(url)?.[1];
  if (rest === undefined) return /^memory:/iu.test(url) ? null : url;
  const path = pathOf(rest, shell);
  return existsSync(path) ? `sqlite:${path}` : null;
}

function pathOf(rest: string, shell: Shell): string {
  if (rest === "") return join(continuoHome(placesOf(shell)), "continuo.db");
  if (rest.startsWith("//")) return fileURLToPath(`file:${rest}`);
  return isAbsolute(rest) ? rest : resolve(shell.cwd, rest);
}
