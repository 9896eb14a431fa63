/** `SHA256SUMS` of a folder, in the form of `sha256sum`. */

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

/** One line for each file in the folder and its subfolders, except `SHA256SUMS` itself, sorted by name. */
export function checksumsOf(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((name) => name !== "SHA256SUMS")
    .sort()
    .map((name) => `${sha256Of(join(folder, name))}  ${name}\n`)
    .join("");
}

function sha256Of(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}
