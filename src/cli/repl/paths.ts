/** Paths with a given prefix, for Tab after an `@`. */

import { opendir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { visibleLine } from "@continuo/core/transcript";
import { REPL_LIMITS } from "./limits.ts";

/**
 * Returns paths as a person would type them; folders end with a slash. A name with white space or invisible characters
 * is not offered.
 */
export async function pathsBeginning(prefix: string, cwd: string, home: string): Promise<readonly string[]> {
  const slash = prefix.lastIndexOf("/") + 1;
  const [folder, start] = [prefix.slice(0, slash), prefix.slice(slash)];
  const place = folder.startsWith("~/") ? join(home, folder.slice(2)) : resolve(cwd, folder);
  const found: string[] = [];
  let looked = 0;
  for await (const entry of await opendir(place)) {
    looked += 1;
    if (looked > REPL_LIMITS.lookedThrough || found.length >= REPL_LIMITS.candidates) break;
    const { name } = entry;
    const isHidden = name.startsWith(".") && !start.startsWith(".");
    if (isHidden || !name.startsWith(start) || /[\s"]/u.test(name) || visibleLine(name) !== name) continue;
    found.push(`${folder}${name}${entry.isDirectory() ? "/" : ""}`);
  }
  return found.sort();
}
