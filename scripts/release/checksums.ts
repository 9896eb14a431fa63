/** `SHA256SUMS` of a folder, in the form of `sha256sum`. */

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** One line for each file but `SHA256SUMS` itself, by name. */
export function checksumsOf(folder: string): string {
  const names = readdirSync(folder).filter((name) => name !== "SHA256SUMS");
  return names
    .sort()
    .map((name) => `${sha256Of(join(folder, name))}  ${name}\n`)
    .join("");
}

function sha256Of(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}
