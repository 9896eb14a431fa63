/**
 * Reads the newest records of a JSON Lines file, or the lines that contain given bytes, without parsing the rest.
 *
 * The file is read from its end to its start, so that a caller can stop as soon as it knows enough. The lines have no
 * line numbers here; `offset` is the place of a line. The file must be plain: a compressed file cannot be read from its
 * end (`isCompressed`).
 */

import { setImmediate as otherWork } from "node:timers/promises";
import type { ByteSource } from "./bytes.ts";
import { CHUNK_BYTES, FIRST_CHUNK_BYTES, MAX_RECORD_BYTES, YIELD_EVERY_BYTES } from "./limits.ts";

export interface RawLine {
  readonly offset: number;
  readonly text: string;
  /** False for a last line without a line end. */
  readonly ended: boolean;
}

export interface BackwardsOptions {
  readonly signal?: AbortSignal;
  /** Yield only lines that contain one of these byte sequences. */
  readonly needles?: readonly Buffer[];
  /** A longer line may be skipped. `MAX_RECORD_BYTES` by default; tests set a smaller number. */
  readonly maxLineBytes?: number;
}

const LF = 0x0a;

export function isCompressed(path: string): boolean {
  return path.endsWith(".zst");
}

/** Yields the lines that are not blank, newest first: each whole, or not at all if it is too long. */
export async function* linesBackwards(
  bytes: ByteSource,
  sizeBytes: number,
  options: BackwardsOptions = {},
): AsyncGenerator<RawLine, void, void> {
  const { maxLineBytes = MAX_RECORD_BYTES } = options;
  let stop = sizeBytes;
  let tail: Buffer = Buffer.alloc(0);
  /** True if the end of a line that is too long was skipped: the beginning of the line is then skipped too. */
  let isSkipping = false;
  let sinceYield = 0;
  for (
    let size = FIRST_CHUNK_BYTES;
    stop > 0;
    size = Math.max(Math.min(4 * size, CHUNK_BYTES), tail.length)
  ) {
    options.signal?.throwIfAborted();
    const start = Math.max(0, stop - size);
    const chunk = await bytes.read(start, stop - start);
    const buffer = tail.length === 0 ? chunk : Buffer.concat([chunk, tail]);
    // Bytes before the first line feed belong to a line that begins earlier in the file.
    const whole = start === 0 ? 0 : buffer.indexOf(LF) + 1;
    if (start === 0 || whole > 0) {
      const end = isSkipping ? buffer.lastIndexOf(LF) + 1 : buffer.length;
      yield* linesOf(buffer.subarray(whole, Math.max(whole, end)), start + whole, options.needles);
      tail = Buffer.from(buffer.subarray(0, whole));
      isSkipping = false;
    } else {
      isSkipping ||= buffer.length > maxLineBytes;
      tail = isSkipping ? Buffer.alloc(0) : buffer;
    }
    stop = start;
    sinceYield += chunk.length;
    if (sinceYield > YIELD_EVERY_BYTES) {
      sinceYield = 0;
      await otherWork();
    }
  }
}

function* linesOf(
  buffer: Buffer,
  base: number,
  needles: readonly Buffer[] | undefined,
): Generator<RawLine, void, void> {
  const ranges = needles ? linesHolding(buffer, needles) : allLines(buffer);
  for (const { start, end } of ranges.reverse()) {
    const text = buffer.toString("utf8", start, end);
    if (text.trim() === "") continue;
    yield { offset: base + start, text, ended: end < buffer.length };
  }
}

interface Range {
  readonly start: number;
  readonly end: number;
}

function allLines(buffer: Buffer): Range[] {
  const ranges: Range[] = [];
  for (let start = 0; start < buffer.length; ) {
    const lf = buffer.indexOf(LF, start);
    const end = lf === -1 ? buffer.length : lf;
    ranges.push({ start, end });
    start = end + 1;
  }
  return ranges;
}

function linesHolding(buffer: Buffer, needles: readonly Buffer[]): Range[] {
  const ranges = new Map<number, Range>();
  for (const needle of needles) {
    for (let at = buffer.indexOf(needle); at !== -1; ) {
      const lf = buffer.indexOf(LF, at);
      const end = lf === -1 ? buffer.length : lf;
      const start = at === 0 ? 0 : buffer.lastIndexOf(LF, at - 1) + 1;
      ranges.set(start, { start, end });
      at = lf === -1 ? -1 : buffer.indexOf(needle, lf + 1);
    }
  }
  return [...ranges.values()].sort((a, b) => a.start - b.start);
}
