/** The token of a server on loopback, in a file that only its user can read. */

import { readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { ContinuoError } from "@continuo/core/model";
import { continuoHome, writeDurably } from "@continuo/files";
import type { Shell } from "../terminal/index.ts";

const MAX_BYTES = 4_096;

export function tokenFileOf(shell: Shell, given: string | undefined): string {
  return given === undefined ? join(continuoHome(shell), "server-token") : resolve(shell.cwd, given);
}

/** `null` if there is no file. Errors: `invalid` for a file that other users can read, `unreadable`. */
export function readTokenFile(path: string): string | null {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return null;
  if (!stat.isFile() || stat.size > MAX_BYTES) {
    throw new ContinuoError("invalid", `${path} is not a token file`, { hint: "Name another file." });
  }
  if ((stat.mode & 0o077) !== 0) {
    throw new ContinuoError("invalid", `${path} can be read by other users`, {
      hint: "Run `chmod 600` on the file, and revoke the token if another user may have read it.",
    });
  }
  try {
    return readFileSync(path, "utf8").trim();
  } catch (cause) {
    throw new ContinuoError("unreadable", `cannot read ${path}`, { cause });
  }
}

export function writeTokenFile(path: string, secret: string): void {
  try {
    writeDurably(path, `${secret}\n`);
  } catch (cause) {
    throw new ContinuoError("unwritable", `cannot write ${path}`, {
      hint: "Name another file with --token-file.",
      cause,
    });
  }
}
