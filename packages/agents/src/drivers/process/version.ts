/** Finds the version of a program without starting it: from its package, or from its path. */

import { readFileSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join } from "node:path";
import { isJson } from "@continuo/files";

export interface ProgramVersion {
  readonly version: string;
  /** `package`: the `package.json` next to it; `path`: a part of its path. */
  readonly from: "package" | "path";
}

const INTERPRETERS: readonly string[] = ["node", "bun", "deno", "python3", "python"];
/** A program is in `bin` or `dist/…` of its package, so the package is at most this many folders above. */
const MAX_FOLDERS_UP = 4;
const VERSION = /^v?(\d+\.\d+\.\d+(?:[-+][\w.]+)?)$/u;

/** Returns the version of the program, or of the script if the program is an interpreter. */
export function versionBeside([program = "", ...args]: readonly string[]): ProgramVersion | null {
  const isScript = INTERPRETERS.includes(basename(program));
  const file = isScript ? args.find((arg) => isAbsolute(arg)) : program;
  if (file === undefined) return null;
  try {
    const path = realpathSync(file);
    return versionOfPackage(dirname(path)) ?? versionInPath(path);
  } catch {
    // The version of a file that cannot be read is not known.
    return null;
  }
}

function versionOfPackage(start: string): ProgramVersion | null {
  let folder = start;
  for (let up = 0; up <= MAX_FOLDERS_UP; up++) {
    const version = readVersion(join(folder, "package.json"));
    if (version !== null) return { version, from: "package" };
    folder = dirname(folder);
  }
  return null;
}

function readVersion(file: string): string | null {
  try {
    const value: unknown = JSON.parse(readFileSync(file, "utf8"));
    return isJson(value) && typeof value.version === "string" ? value.version : null;
  } catch {
    // Most folders contain no `package.json`.
    return null;
  }
}

/** `…/versions/2.1.330`, `…/Cellar/codex/0.169.0/bin/codex`. */
function versionInPath(path: string): ProgramVersion | null {
  for (const part of path.split("/").toReversed()) {
    const version = VERSION.exec(part)?.[1];
    if (version !== undefined) return { version, from: "path" };
  }
  return null;
}

/** Returns true if the version is `since` or later. A text that is not a version counts as version 0. */
export function isSince(version: string | null, since: string): boolean {
  const parts = (text: string) => (/^\d+(?:\.\d+)*/u.exec(text)?.[0] ?? "").split(".").map(Number);
  const [is, least] = [parts(version ?? ""), parts(since)];
  for (const [at, part] of least.entries()) {
    if ((is[at] ?? 0) !== part) return (is[at] ?? 0) > part;
  }
  return true;
}
