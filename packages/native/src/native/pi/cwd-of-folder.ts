/** The cwd after which the folder of a session is named, if no header has it. */

import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isFailure } from "@continuo/core/model";
import { isJson, namesIn } from "@continuo/files";
import { openLines } from "@continuo/files/records";
import { MAX_FOLDERS_BESIDE, MAX_SESSIONS_BESIDE } from "./limits.ts";
import { folderNameOf, namesOfCwd } from "./places.ts";
import { parseHeader } from "./records.ts";

/**
 * Returns the folder that the sessions next to it name, if they agree; else the one folder of this machine with
 * such a name; else, if there is no such folder any more, the name with `/` for every `-`. `null` if several
 * fit.
 */
export async function cwdOfFolder(path: string): Promise<string | null> {
  const folder = dirname(path);
  const name = basename(folder);
  if (!/^--.+--$/su.test(name)) return null;
  const named = await namedBeside(folder, name);
  if (named.size > 0) return only(named);
  const there = foldersNamed(name);
  if (there === null) return null;
  return there.size > 0 ? only(there) : `/${name.slice(2, -2).replaceAll("-", "/")}`;
}

function only(values: ReadonlySet<string>): string | null {
  const [first = null] = values;
  return values.size === 1 ? first : null;
}

async function namedBeside(folder: string, name: string): Promise<Set<string>> {
  const named = new Set<string>();
  const files = namesIn(folder).filter((file) => file.endsWith(".jsonl"));
  for (const file of files.slice(-MAX_SESSIONS_BESIDE)) {
    const cwd = await headerCwd(join(folder, file));
    if (cwd !== null && namesOfCwd(cwd).map(folderNameOf).includes(name)) named.add(cwd);
  }
  return named;
}

async function headerCwd(path: string): Promise<string | null> {
  try {
    using lines = openLines(path, Number.POSITIVE_INFINITY);
    for await (const [first] of lines.scan()) {
      return isJson(first?.value) ? (parseHeader(first.value)?.cwd ?? null) : null;
    }
  } catch (error) {
    if (!isFailure(error)) throw error;
  }
  return null;
}

/** Folders of this machine whose name pi would turn into this one; `null` if there are too many candidates. */
function foldersNamed(name: string): Set<string> | null {
  const found = new Set<string>();
  const open = ["/"];
  let looks = 0;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    looks += 1;
    if (looks > MAX_FOLDERS_BESIDE) return null;
    for (const child of foldersIn(at)) {
      const path = join(at, child);
      const childName = folderNameOf(path);
      if (childName === name) found.add(path);
      else if (name.startsWith(`${childName.slice(0, -2)}-`)) open.push(path);
    }
  }
  return found;
}

function foldersIn(path: string): string[] {
  if (!existsSync(path)) return [];
  try {
    return readdirSync(path, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
      .map((entry) => entry.name);
  } catch {
    return [];
  }
}
