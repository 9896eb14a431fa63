/** The bytes of files, for a test that can exclude a session before it is read. */

import { closeSync, openSync, readSync } from "node:fs";
import type { FoundFile } from "@continuo/files";

/**
 * Receives the bytes of a session, piece after piece. A line crosses the border of two pieces only if it is longer than
 * a piece. Returns whether the session may match, according to the pieces so far. The bytes are valid until it returns.
 */
export type TestBytes = (bytes: Buffer, rest: "more" | "last") => boolean;

/** A file that is shorter comes in one piece. */
export const PIECE_BYTES: number = 4 * 1024 * 1024;
/** Two pieces share this many bytes of a line that is longer than a piece. */
const OVERLAP_BYTES = 16_384;
const LINE_FEED = 0x0a;

/** All files are read into the same memory, one after the other. */
let memory: Buffer | null = null;

/** A file that cannot be read may hold anything: the reader that opens it then reports the reason. */
export function testFiles(files: readonly FoundFile[], test: TestBytes): boolean {
  return files.some(({ path }, at) => testFile(path, test, at === files.length - 1 ? "last" : "more"));
}

function testFile(path: string, test: TestBytes, rest: "more" | "last"): boolean {
  memory ??= Buffer.allocUnsafeSlow(PIECE_BYTES);
  let fd: number;
  try {
    fd = openSync(path, "r");
  } catch {
    return true;
  }
  try {
    for (let held = 0; ; ) {
      const read = readSync(fd, memory, held, PIECE_BYTES - held, null);
      const size = held + read;
      // A short read means the end of the file; a further read is cheaper than a further copy.
      if (read === 0 || size < PIECE_BYTES) {
        if (read > 0 && readSync(fd, memory, size, PIECE_BYTES - size, null) > 0) return true;
        return test(memory.subarray(0, size), rest);
      }
      const lineEnd = memory.lastIndexOf(LINE_FEED) + 1;
      const end = lineEnd > 0 ? lineEnd : size;
      if (test(memory.subarray(0, end), "more")) return true;
      const next = lineEnd > 0 ? lineEnd : size - OVERLAP_BYTES;
      memory.copy(memory, 0, next, size);
      held = size - next;
    }
  } catch {
    return true;
  } finally {
    closeSync(fd);
  }
}
