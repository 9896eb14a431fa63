/**
 * Appends lines to a file to which another program may append at the same time.
 *
 * The system puts each write at the end of the file at that moment (`O_APPEND`), so that no line of another writer is
 * overwritten. A write that is incomplete is undone only if no other program has written after it.
 */

import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  statSync,
  writeSync,
} from "node:fs";
import { ContinuoError } from "@continuo/core/model";

export interface AppendOptions {
  /** The state from `stateOfFile` that the file must still have. */
  readonly after?: string | null;
}

const LINE_FEED = 0x0a;

/** Returns a text that is different after every write to the file; `null` if the file does not exist. */
export function stateOfFile(path: string): string | null {
  const stat = statSync(path, { throwIfNoEntry: false, bigint: true });
  return stat === undefined ? null : stateOf(stat);
}

/**
 * Appends the lines. When the function returns, they are on disk and were read back. If the last line of the file is
 * incomplete, it does not change, and the new lines begin after a line feed.
 *
 * Errors: `conflict` if the file is not in the state `after` any more, with `details.isWritten: true` if the lines were
 * written nevertheless; `unwritable`; those of the system.
 */
export function appendLines(path: string, lines: Uint8Array, { after = null }: AppendOptions = {}): void {
  const fd = openSync(path, constants.O_RDWR | constants.O_APPEND);
  try {
    const stat = fstatSync(fd, { bigint: true });
    if (after !== null && stateOf(stat) !== after) throw changed(path, false);
    const size = Number(stat.size);
    const bytes = endsInLineFeed(fd, size) ? Buffer.from(lines) : Buffer.concat([LF, lines]);
    appendAll(fd, bytes);
    if (readAt(fd, size, bytes.length).equals(bytes)) return;
    // Another writer was faster. The lines may come after its lines only if the caller gave no `after`.
    const there = readAt(fd, size, fstatSync(fd).size - size);
    const at = there.indexOf(bytes);
    const isWhole = at > 0 && (bytes[0] === LINE_FEED || there[at - 1] === LINE_FEED);
    if (isWhole && after === null) return;
    const isGone = takeBack(fd, bytes);
    if (isWhole) throw changed(path, !isGone);
    throw new ContinuoError(
      "unwritable",
      `verification failed: ${path} does not contain what was just written to it`,
    );
  } finally {
    closeSync(fd);
  }
}

const LF = Buffer.from("\n");

function stateOf(stat: { readonly ino: bigint; readonly size: bigint; readonly mtimeNs: bigint }): string {
  return `${stat.ino} ${stat.size} ${stat.mtimeNs}`;
}

function appendAll(fd: number, bytes: Buffer): void {
  let done = 0;
  try {
    while (done < bytes.length) done += writeSync(fd, bytes, done);
    fsyncSync(fd);
  } catch (error) {
    takeBack(fd, bytes.subarray(0, done));
    throw error;
  }
}

/** Removes the bytes if they are at the very end of the file. Returns true if they were removed. */
function takeBack(fd: number, bytes: Buffer): boolean {
  const start = fstatSync(fd).size - bytes.length;
  if (start < 0 || !readAt(fd, start, bytes.length).equals(bytes)) return false;
  ftruncateSync(fd, start);
  fsyncSync(fd);
  return true;
}

function endsInLineFeed(fd: number, size: number): boolean {
  return size === 0 || readAt(fd, size - 1, 1)[0] === LINE_FEED;
}

/** The bytes from a position; fewer at the end of the file. Errors: those of the system. */
export function readAt(fd: number, position: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(Math.max(0, length));
  let done = 0;
  while (done < bytes.length) {
    const count = readSync(fd, bytes, done, bytes.length - done, position + done);
    if (count === 0) break;
    done += count;
  }
  return bytes.subarray(0, done);
}

function changed(path: string, isWritten: boolean): ContinuoError {
  const what = isWritten
    ? "another program appended lines before the new ones"
    : "another program wrote to it in the meantime";
  return new ContinuoError("conflict", `cannot append to ${path}: ${what}`, {
    hint: isWritten ? "Look at the session with `continuo session show` before you continue." : "Try again.",
    details: { isWritten },
  });
}
