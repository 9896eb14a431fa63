/** Files below `CONTINUO_HOME` that enforce a policy in an agent's program: its rules, or an extension for it. */

import { createHash } from "node:crypto";
import { join } from "node:path";
import { continuoHome, type Places, readSmallFile, writeDurably } from "@continuo/files";

export interface PolicyFile {
  /** The extension of its name: `toml`, `js`. */
  readonly extension: string;
  readonly text: string;
}

/** The path of the file, which has exactly this text when the call returns. Errors: those of writing it. */
export function writePolicyFile(places: Places, { extension, text }: PolicyFile): string {
  const name = createHash("sha256").update(text).digest("hex").slice(0, 16);
  const path = join(continuoHome(places), "policies", `${name}.${extension}`);
  if (readSmallFile(path) !== text) writeDurably(path, text);
  return path;
}
