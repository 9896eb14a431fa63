/**
 * Reads the records of a JSON Lines file: a scan yields them in order, and a fetch returns one of them again by its
 * place.
 *
 * Bounds: a scan has one chunk in memory, and the part of an incomplete record before this chunk; a fetch has one
 * window; the parsed records of a small file are kept between a scan and the fetches that follow it (`limits.ts`).
 */

import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { setImmediate as otherWork } from "node:timers/promises";
import type { Problem } from "@continuo/core/model";
import { type ByteSource, openBytes } from "./bytes.ts";
import { TooDeepError } from "./depth.ts";
import { parseExactly } from "./exact.ts";
import {
  CHUNK_BYTES,
  FETCH_WINDOW_BYTES,
  FIRST_CHUNK_BYTES,
  KEEP_ALL_BYTES,
  KEEP_PARSED_BYTES,
  MAX_RECORD_BYTES,
  YIELD_EVERY_BYTES,
} from "./limits.ts";

export interface LinePlace {
  /** 1-based. If the scan began inside the file, lines are counted from there. */
  readonly line: number;
  /** The offset of the first byte, in the decompressed file. */
  readonly offset: number;
  /** Bytes without the line end. */
  readonly length: number;
}

export interface LineRecord extends LinePlace {
  /** The parsed JSON; `undefined` if the line is not JSON, and then `problems` says why. */
  readonly value: unknown;
  readonly problems: readonly Problem[];
  /** A last line without a line end, which may still be written to. */
  readonly unended?: true;
  /**
   * True if the line contains U+2028 or U+2029 without an escape: some readers treat them as line ends. Set only by a
   * `whole` scan.
   */
  readonly separators?: true;
}

/** The position after the last line that has a line end. */
export interface LinesPosition {
  readonly offset: number;
  /** The number of lines before the position. */
  readonly lines: number;
  readonly byteOrderMark: boolean;
  readonly lfLines: number;
  readonly crlfLines: number;
  /** A hash of all bytes before `offset`; empty if the file has become shorter. */
  readonly mark: string;
}

export interface ScanOptions {
  /** Start at the first line that begins at or after this byte. */
  readonly from?: number;
  /** Start at the end of an earlier scan of this file, which may have grown since then. */
  readonly position?: LinesPosition;
  /** The part to read; a head is read in small pieces. The default is `head`. */
  readonly part?: "head" | "whole";
  readonly signal?: AbortSignal;
}

export interface LineFile {
  readonly path: string;
  /** Yields every line that is not blank, in order, in groups of the lines of one read. */
  scan(options?: ScanOptions): AsyncGenerator<readonly LineRecord[], void, void>;
  /** The parsed record at a place that a scan returned; `undefined` if the line is not JSON. */
  fetch(place: LinePlace): Promise<unknown>;
  /** The problems of the file as a whole; complete after a scan to the end. */
  problems(): readonly Problem[];
  /** The position at the end of the last scan that began at the start, or at a position. */
  position(): Promise<LinesPosition>;
  /** Returns true if the file begins with the bytes before the position. */
  continues(position: LinesPosition): Promise<boolean>;
  close(): void;
  [Symbol.dispose](): void;
}

const LF = 0x0a;
const CR = 0x0d;

/**
 * Errors: `not_found`, `unreadable`.
 * @param sizeBytes the size as the caller knows it; it decides whether parsed records are kept
 * @param keep `all` also keeps the records of larger files
 */
export function openLines(path: string, sizeBytes: number, keep?: "all"): LineFile {
  const bytes = openBytes(path);
  const kept = sizeBytes <= keptBytes(keep) ? createKeptRecords(keptBytes(keep)) : null;
  const shape: FileShape = { byteOrderMark: false, lfLines: 0, crlfLines: 0, offset: 0, lines: 0 };
  const fetchBytes = windowed(bytes);
  const markOf = createMarks(bytes);
  return {
    path,
    scan: (options = {}) => scan(bytes, { ...options, sizeBytes }, shape, kept),
    async fetch(place) {
      const known = kept?.get(place.offset);
      if (known !== undefined) return known.value;
      return parseLine(await fetchBytes(place.offset, place.length), place.line, true).value;
    },
    problems: () => shapeProblems(shape, bytes.damage()),
    position: async () => ({ ...shape, mark: await markOf(shape.offset) }),
    continues: async ({ offset, mark }) => mark !== "" && (await markOf(offset)) === mark,
    close: bytes.close,
    [Symbol.dispose]: bytes.close,
  };
}

interface FileShape {
  byteOrderMark: boolean;
  lfLines: number;
  crlfLines: number;
  /** The offset after the last line that has a line end. */
  offset: number;
  lines: number;
}

/**
 * A hash of all bytes before a place; empty if the file is shorter. If the places are in order, each byte is read only
 * once.
 */
function createMarks(bytes: ByteSource): (offset: number) => Promise<string> {
  let hash = createHash("sha256");
  let at = 0;
  return async (offset) => {
    if (offset < at) [hash, at] = [createHash("sha256"), 0];
    for (let sinceYield = 0; at < offset; ) {
      const piece = await bytes.read(at, Math.min(CHUNK_BYTES, offset - at));
      if (piece.length === 0) return "";
      hash.update(piece);
      at += piece.length;
      sinceYield += piece.length;
      if (sinceYield > YIELD_EVERY_BYTES) {
        sinceYield = 0;
        await otherWork();
      }
    }
    return hash.copy().digest("base64");
  };
}

/** The parsed records of a session are kept if the session is not larger than this. */
export function keptBytes(keep: "all" | undefined): number {
  return keep === "all" ? KEEP_ALL_BYTES : KEEP_PARSED_BYTES;
}

async function* scan(
  bytes: ByteSource,
  options: ScanOptions & { readonly sizeBytes: number },
  shape: FileShape,
  kept: KeptRecords | null,
): AsyncGenerator<readonly LineRecord[], void, void> {
  let position = options.from ? await nextLineStart(bytes, options.from) : (options.position?.offset ?? 0);
  let pending: Buffer = Buffer.alloc(0);
  let line = options.position?.lines ?? 0;
  let sinceYield = 0;
  if (options.position !== undefined) continueShape(shape, options.position);
  for (let size = firstSize(options); ; size = nextSize(size, pending)) {
    options.signal?.throwIfAborted();
    const chunk = await bytes.read(position + pending.length, size);
    const atEnd = chunk.length < size;
    let buffer = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    if (position === 0 && startsWithByteOrderMark(buffer)) {
      shape.byteOrderMark = true;
      position = 3;
      buffer = buffer.subarray(3);
    }
    const tooLarge = buffer.length > MAX_RECORD_BYTES && !buffer.includes(LF);
    const end = atEnd || tooLarge ? buffer.length : buffer.lastIndexOf(LF) + 1;
    const records: LineRecord[] = [];
    for (const place of splitLines(buffer.subarray(0, end), shape)) {
      line += 1;
      if (tooLarge) {
        records.push(tooLargeRecord({ line, offset: position, length: buffer.length }));
        break;
      }
      const text = buffer.subarray(place.start, place.stop);
      if (isBlank(text)) continue;
      const at = { line, offset: position + place.start, length: text.length };
      const toRecord = options.part === "whole" ? parsedNow : parsedOnDemand;
      const record = toRecord(text, at, { ended: place.ended, kept });
      records.push(place.ended ? record : { ...record, unended: true });
    }
    shape.offset = position + (atEnd ? buffer.lastIndexOf(LF) + 1 : end);
    shape.lines = atEnd && buffer.length > 0 && buffer[buffer.length - 1] !== LF ? line - 1 : line;
    position += end;
    if (tooLarge) position = await nextLineStart(bytes, position);
    pending = Buffer.from(buffer.subarray(end));
    if (records.length > 0) yield records;
    if (atEnd) return;
    sinceYield += chunk.length;
    if (sinceYield > YIELD_EVERY_BYTES) {
      sinceYield = 0;
      await otherWork();
    }
  }
}

function continueShape(shape: FileShape, { mark: _, ...before }: LinesPosition): void {
  Object.assign(shape, before);
}

/** A small file needs only one read, which asks for one byte more, and so shows that the file has ended. */
function firstSize({ part, sizeBytes }: ScanOptions & { readonly sizeBytes: number }): number {
  return part === "whole" ? Math.min(sizeBytes + 1, CHUNK_BYTES) : FIRST_CHUNK_BYTES;
}

/**
 * The size of a read is small at first, for callers that need only the head. It grows with each read, up to one chunk,
 * or up to the length of the incomplete record if that is longer.
 */
function nextSize(size: number, pending: Buffer): number {
  return Math.max(Math.min(4 * size, CHUNK_BYTES), pending.length);
}

function* splitLines(
  buffer: Buffer,
  shape: FileShape,
): Generator<{ start: number; stop: number; ended: boolean }> {
  for (let start = 0; start < buffer.length; ) {
    const lf = buffer.indexOf(LF, start);
    const end = lf === -1 ? buffer.length : lf;
    const stop = end > start && buffer[end - 1] === CR ? end - 1 : end;
    if (lf !== -1 && stop > start) stop < end ? shape.crlfLines++ : shape.lfLines++;
    yield { start, stop, ended: lf !== -1 };
    start = end + 1;
  }
}

interface ParsedLine {
  readonly value: unknown;
  readonly problems: readonly Problem[];
  readonly separators?: true;
}

const NO_PROBLEMS: readonly Problem[] = [];

/** The keys are offsets. A second scan, or a fetch, returns the same values. */
interface KeptRecords {
  get(offset: number): LineRecord | undefined;
  set(offset: number, record: LineRecord): void;
}

/** Keeps no records if together they are larger than `maxBytes`; for a compressed file this is known only late. */
function createKeptRecords(maxBytes: number): KeptRecords {
  const records = new Map<number, LineRecord>();
  let bytes = 0;
  return {
    get: (offset) => records.get(offset),
    set(offset, record) {
      bytes += record.length;
      if (bytes <= maxBytes) records.set(offset, record);
      else records.clear();
    },
  };
}

interface ParseContext {
  readonly ended: boolean;
  readonly kept: KeptRecords | null;
}

function parsedNow(bytes: Buffer, place: LinePlace, { ended, kept }: ParseContext): LineRecord {
  const known = kept?.get(place.offset);
  // An incomplete last line may be complete now, and a scan that begins elsewhere counts its lines from there.
  if (known?.line === place.line && known.length === place.length) return known;
  const { line, offset, length } = place;
  const record = { line, offset, length, ...parseLine(bytes, line, ended) };
  kept?.set(offset, record);
  return record;
}

/**
 * A line that is parsed when its value is first read: a caller that needs only the head of a file parses only that,
 * although a whole chunk was read.
 */
function parsedOnDemand(
  bytes: Buffer,
  { line, offset, length }: LinePlace,
  { ended, kept }: ParseContext,
): LineRecord {
  let unparsed: Buffer | null = bytes;
  let parsed: ParsedLine = { value: undefined, problems: NO_PROBLEMS };
  const parse = (): ParsedLine => {
    if (unparsed === null) return parsed;
    parsed = parseLine(unparsed, line, ended);
    unparsed = null;
    kept?.set(offset, { line, offset, length, ...parsed });
    return parsed;
  };
  return {
    line,
    offset,
    length,
    get value() {
      return parse().value;
    },
    get problems() {
      return parse().problems;
    },
  };
}

function parseLine(bytes: Buffer, line: number, ended: boolean): ParsedLine {
  const text = bytes.toString("utf8");
  let problems = NO_PROBLEMS;
  if (text.includes("\ufffd") && !isUtf8(bytes)) {
    problems = [{ code: "bad_utf8", line, message: "the line holds bytes that are no UTF-8" }];
  }
  try {
    const value = parseExactly(text);
    const isSplit = text.includes("\u2028") || text.includes("\u2029");
    return isSplit ? { value, problems, separators: true } : { value, problems };
  } catch (error) {
    if (error instanceof TooDeepError) {
      return {
        value: undefined,
        problems: [...problems, { code: "too_large", line, message: error.message }],
      };
    }
    const problem: Problem = ended
      ? { code: "bad_json", line, message: "the line is not JSON" }
      : { code: "torn_line", line, message: "the last line breaks off" };
    return { value: undefined, problems: [...problems, problem] };
  }
}

/** True for a line that contains only the white space of JSON. A line of other white space is reported as not JSON. */
function isBlank(bytes: Buffer): boolean {
  for (const byte of bytes) if (byte !== 0x20 && byte !== 0x09 && byte !== CR) return false;
  return true;
}

function tooLargeRecord(place: LinePlace): LineRecord {
  const message = `the line is longer than ${MAX_RECORD_BYTES} bytes`;
  return { ...place, value: undefined, problems: [{ code: "too_large", line: place.line, message }] };
}

function shapeProblems(shape: FileShape, damage: string | null): Problem[] {
  const problems: Problem[] = [];
  if (shape.byteOrderMark) {
    problems.push({ code: "byte_order_mark", line: 1, message: "the file begins with a byte order mark" });
  }
  if (shape.lfLines > 0 && shape.crlfLines > 0) {
    const message = `${shape.crlfLines} lines end in CR LF and ${shape.lfLines} in LF`;
    problems.push({ code: "mixed_line_ends", line: null, message });
  }
  if (damage !== null) {
    problems.push({ code: "torn_line", line: null, message: `the compressed file breaks off: ${damage}` });
  }
  return problems;
}

function startsWithByteOrderMark(buffer: Buffer): boolean {
  return buffer[0] === 0xef && buffer[1] === 0xbb && buffer[2] === 0xbf;
}

/** The first byte after the first line feed at or after `from - 1`; the end of the file if there is none. */
async function nextLineStart(bytes: ByteSource, from: number): Promise<number> {
  for (let position = from - 1; ; ) {
    const chunk = await bytes.read(position, FIRST_CHUNK_BYTES);
    const lf = chunk.indexOf(LF);
    if (lf !== -1) return position + lf + 1;
    position += chunk.length;
    if (chunk.length === 0) return position;
  }
}

/** Reads the requested bytes from a window that moves with the requests. */
function windowed(bytes: ByteSource): (offset: number, length: number) => Promise<Buffer> {
  let window: Buffer = Buffer.alloc(0);
  let start = 0;
  return async (offset, length) => {
    if (offset < start || offset + length > start + window.length) {
      window = await bytes.read(offset, Math.max(length, FETCH_WINDOW_BYTES));
      start = offset;
    }
    return window.subarray(offset - start, offset - start + length);
  };
}
