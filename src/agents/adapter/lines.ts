/** Lines of JSON appended to a file: on disk and read back when the call returns, or not there at all. */

import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { ContinuoError } from "../../model/index.ts";
import type { Json } from "../reader/index.ts";
import { unfinishedPath } from "./unfinished-path.ts";
import type { BesideFile, RecordSink } from "./writer.ts";

const LINE_FEED = 0x0a;

export function openLineSink(path: string): RecordSink {
  return {
    mark: () => markOf(path),
    append: (records) => guarded(path, () => appendBytes(path, toBytes(records))),
    create: (records) => guarded(path, () => createFile(path, toBytes(records))),
    close: () => undefined,
  };
}

/** Errors: `unwritable`. */
export function writeBeside({ how, path, text }: BesideFile): void {
  const isThere = existsSync(path);
  if (how === "create" && isThere) return;
  const bytes = Buffer.from(text, "utf8");
  guarded(path, () => (isThere ? appendBytes(path, bytes) : createFile(path, bytes)));
}

/** On disk as a whole when it returns, or not there. Errors: `conflict` where a file is there, `unwritable`. */
export function writeNewFile(path: string, bytes: Buffer): void {
  guarded(path, () => createFile(path, bytes));
}

/** Marks a record whose U+2028 and U+2029 stand as its agent wrote them. */
export const RAW_SEPARATORS: unique symbol = Symbol("raw separators");

/** One line a record. U+2028 and U+2029 are escaped, but for a record so marked: some agents split lines at them. */
export function toLines(records: readonly Json[]): string {
  return records
    .map((record) => {
      const json = JSON.stringify(record);
      return `${RAW_SEPARATORS in record ? json : escapeSeparators(json)}\n`;
    })
    .join("");
}

function escapeSeparators(json: string): string {
  return json.replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

function toBytes(records: readonly Json[]): Buffer {
  return Buffer.from(toLines(records), "utf8");
}

function markOf(path: string): string | null {
  const stat = statSync(path, { throwIfNoEntry: false, bigint: true });
  return stat === undefined ? null : `${stat.ino} ${stat.size} ${stat.mtimeNs}`;
}

/** A line that was torn off before stays as it is; what is new begins on a line of its own. */
function appendBytes(path: string, lines: Buffer): void {
  const fd = openSync(path, "r+");
  try {
    const { size } = fstatSync(fd);
    const bytes = endsInLineFeed(fd, size) ? lines : Buffer.concat([Buffer.from("\n"), lines]);
    try {
      writeAll(fd, bytes, size);
      fsyncSync(fd);
      assertWritten(fd, bytes, size, path);
    } catch (error) {
      ftruncateSync(fd, size);
      fsyncSync(fd);
      throw error;
    }
  } finally {
    closeSync(fd);
  }
}

/** Beside its place first, so that nobody sees half of it. */
function createFile(path: string, bytes: Buffer): void {
  if (existsSync(path)) throw new ContinuoError("conflict", `${path} is there already`);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const fresh = unfinishedPath(path, process.pid);
  const fd = openSync(fresh, "wx+", 0o600);
  try {
    writeAll(fd, bytes, 0);
    fsyncSync(fd);
    assertWritten(fd, bytes, 0, path);
    renameSync(fresh, path);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  } finally {
    closeSync(fd);
  }
  syncFolder(dirname(path));
}

/** So that a name which was just made outlives a loss of power. */
function syncFolder(folder: string): void {
  const fd = openSync(folder, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function endsInLineFeed(fd: number, size: number): boolean {
  if (size === 0) return true;
  const last = Buffer.alloc(1);
  readSync(fd, last, 0, 1, size - 1);
  return last[0] === LINE_FEED;
}

function writeAll(fd: number, bytes: Buffer, position: number): void {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(fd, bytes, done, bytes.length - done, position + done);
  }
}

function assertWritten(fd: number, bytes: Buffer, position: number, path: string): void {
  const back = Buffer.alloc(bytes.length);
  let done = 0;
  while (done < back.length) {
    const read = readSync(fd, back, done, back.length - done, position + done);
    if (read === 0) break;
    done += read;
  }
  if (done < back.length || !back.equals(bytes)) {
    throw new ContinuoError("unwritable", `${path} does not hold what was just written to it`);
  }
}

function guarded(path: string, write: () => void): void {
  try {
    write();
  } catch (cause) {
    if (cause instanceof ContinuoError) throw cause;
    throw new ContinuoError("unwritable", `cannot write ${path}: ${(cause as Error).message}`, {
      cause,
      hint: "Nothing was added to the session.",
    });
  }
}
