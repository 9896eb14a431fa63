/** The present text of a file that an agent wants to change, so that the lines of a diff can be numbered. */

import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { isAbsolute } from "node:path";

/** Larger files are not read: their diffs have no numbers. */
const MAX_BYTES = 1_000_000;

/** `null` for a relative path, and for anything but a readable regular file of at most 1 MB. */
export function fileText(path: string): string | null {
  if (!isAbsolute(path)) return null;
  let file: number | undefined;
  try {
    // A named pipe does not block, and a device is not read.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stat = fstatSync(file);
    if (!stat.isFile() || stat.size > MAX_BYTES) return null;
    const buffer = Buffer.alloc(stat.size);
    return buffer.toString("utf8", 0, readSync(file, buffer, 0, buffer.length, 0));
  } catch {
    // Without the file, the diff is shown without numbers.
    return null;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
