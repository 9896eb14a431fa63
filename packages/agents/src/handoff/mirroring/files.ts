/**
 * The parts of a session's files that are still to be sent: the new complete lines of a log, or the whole of any other
 * file.
 */

import { createHash } from "node:crypto";
import { closeSync, createReadStream, openSync } from "node:fs";
import { relative, sep } from "node:path";
import { ContinuoError } from "@continuo/core/model";
import { type FoundFile, readAt } from "@continuo/files";
import { isSafePath } from "../bundle/index.ts";

/** A file, and the path by which the other machine knows it. */
export interface MirroredFile {
  readonly path: string;
  readonly there: string;
}

/** The path below the root of this machine. Errors: `unsupported`. */
export function pathThere(path: string): string {
  const below = relative(sep, path).split(sep).join("/");
  if (isSafePath(below)) return below;
  throw new ContinuoError("unsupported", `a mirror cannot hold a file of this name: ${JSON.stringify(path)}`);
}

/** Logs grow at their ends; all other files of a session are small, or are written as a whole. */
export function isLog(path: string): boolean {
  return path.endsWith(".jsonl");
}

/** The part of a log that was sent, and bytes that show whether the log was replaced later. */
export interface SentLog {
  readonly sentBytes: number;
  readonly inode: FoundFile["inode"];
  /** The last bytes that were sent. */
  readonly tail: Buffer;
}

const TAIL_BYTES = 4_096;

export function sentLog(fd: number, { inode }: FoundFile, sentBytes: number): SentLog {
  const from = Math.max(0, sentBytes - TAIL_BYTES);
  return { sentBytes, inode, tail: readAt(fd, from, sentBytes - from) };
}

/** False if the log was replaced or became shorter, or if the last bytes that were sent have changed. */
export function onlyGrew(fd: number, file: FoundFile, { sentBytes, inode, tail }: SentLog): boolean {
  if (file.inode !== inode || file.sizeBytes < sentBytes) return false;
  return readAt(fd, sentBytes - tail.length, tail.length).equals(tail);
}

/** The end of the last whole line, not before `from`. */
export function endOfLines(fd: number, from: number, sizeBytes: number): number {
  for (let end = sizeBytes; end > from; ) {
    const start = Math.max(from, end - SEARCH_BYTES);
    const at = readAt(fd, start, end - start).lastIndexOf(0x0a);
    if (at >= 0) return start + at + 1;
    end = start;
  }
  return from;
}

const SEARCH_BYTES = 64 * 1024;

export async function startsWith(path: string, sizeBytes: number, sha256: string): Promise<boolean> {
  return (await hashOfFile(path, sizeBytes)) === sha256;
}

/** Hashes the first `sizeBytes` bytes of a file, or the whole file if no number is given. */
export async function hashOfFile(
  path: string,
  sizeBytes: number = Number.POSITIVE_INFINITY,
): Promise<string> {
  const hash = createHash("sha256");
  if (sizeBytes > 0)
    for await (const chunk of createReadStream(path, { end: sizeBytes - 1 })) hash.update(chunk);
  return hash.digest("hex");
}

export async function withFile<T>(path: string, work: (fd: number) => T | Promise<T>): Promise<T> {
  const fd = openSync(path, "r");
  try {
    return await work(fd);
  } finally {
    closeSync(fd);
  }
}
