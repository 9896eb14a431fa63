/**
 * Lines of JSON appended to a file: when the call returns, all of them are on disk and were read back, or none is in
 * the file.
 */

import { createHash } from "node:crypto";
import { closeSync, existsSync, fsyncSync, openSync, readSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { ContinuoError } from "@continuo/core/model";
import {
  appendLines,
  isJson,
  isWriteFailure,
  type Json,
  makeFolderDurably,
  makeScratchFolder,
  parseJson,
  removeLeft,
  renameDurably,
  stateOfFile,
  unfinishedPath,
  writeFailure,
} from "@continuo/files";
import type { RecordSink, SideFile } from "./writer.ts";

export function openLineSink(path: string): RecordSink {
  return {
    mark: () => stateOfFile(path),
    append: (records, options) => guarded(path, () => appendLines(path, toBytes(records), options)),
    create: (records) => guarded(path, () => createFile(path, piecesOf(lineTexts(records)))),
    close: () => undefined,
  };
}

/** Errors: `unwritable`. */
export function writeBeside({ how, path, text }: SideFile): void {
  const isThere = existsSync(path);
  if (how === "create" && isThere) return;
  const bytes = Buffer.from(text, "utf8");
  guarded(path, () => (isThere ? appendLines(path, bytes) : createFile(path, [bytes])));
}

/**
 * When it returns, the file is on disk as a whole, or does not exist. Errors: `conflict` if a file exists,
 * `unwritable`.
 */
export function writeNewFile(path: string, bytes: Buffer): void {
  writeNewPieces(path, [bytes]);
}

/** Does the same for a file that is too large for memory. Errors: also those of making a piece. */
export function writeNewPieces(path: string, pieces: Iterable<Buffer>): void {
  guarded(path, () => createFile(path, pieces));
}

/**
 * Writes a new file in a folder of this process, for a reader that compares all of it. It is neither synced nor read back: after a
 * power cut nobody needs it. Errors: `conflict` if a file exists, `unwritable`.
 */
export function writeScratchLines(path: string, records: Iterable<Json>): void {
  writeScratchTexts(path, lineTexts(records));
}

/** Does the same for a file that consists of these texts. */
export function writeScratchTexts(path: string, texts: Iterable<string>): void {
  guarded(path, () => {
    assertFree(path);
    makeScratchFolder(dirname(path));
    const fd = openSync(path, "wx", 0o600);
    try {
      writePieces(fd, piecesOf(texts));
    } finally {
      closeSync(fd);
    }
  });
}

/** Marks a record whose U+2028 and U+2029 stand as its agent wrote them. */
export const RAW_SEPARATORS: unique symbol = Symbol("raw separators");

/**
 * One line a record. U+2028 and U+2029 are escaped, because some agents split lines at them; records with
 * `RAW_SEPARATORS` keep them.
 */
export function toLines(records: readonly Json[]): string {
  return records.map(toLine).join("");
}

/** Returns the lines of a text with each record changed; lines that are not records do not change. */
export function changeLines(text: string, change: (record: Json) => Json): string {
  const lines = text.split("\n").map((line) => {
    const record = recordIn(line);
    return record === null ? line : JSON.stringify(change(record));
  });
  return lines.join("\n");
}

function recordIn(line: string): Json | null {
  try {
    const value: unknown = parseJson(line);
    return isJson(value) ? value : null;
  } catch {
    return null;
  }
}

function toLine(record: Json): string {
  return `${toJson(record)}\n`;
}

function toJson(record: Json): string {
  const json = JSON.stringify(record);
  return RAW_SEPARATORS in record ? json : escapeSeparators(json);
}

function escapeSeparators(json: string): string {
  return json.replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

function toBytes(records: readonly Json[]): Buffer {
  return Buffer.from(toLines(records), "utf8");
}

const PIECE_BYTES = 1024 * 1024;
/** The most bytes of UTF-8 that one character of a string takes. */
const MAX_CHAR_BYTES = 3;

/** A line end is a text of its own, because joining texts copies them. */
function* lineTexts(records: Iterable<Json>): Generator<string, void, void> {
  for (const record of records) {
    yield toJson(record);
    yield "\n";
  }
}

/**
 * Each piece is valid until the next one: all but those of very long texts are parts of one buffer. Encoding joined
 * texts instead takes four to ten times as long.
 */
function* piecesOf(texts: Iterable<string>): Generator<Buffer, void, void> {
  const room = Buffer.allocUnsafe(PIECE_BYTES);
  let end = 0;
  for (const text of texts) {
    const maxBytes = MAX_CHAR_BYTES * text.length;
    if (end + maxBytes > room.length) {
      yield room.subarray(0, end);
      end = 0;
    }
    if (maxBytes > room.length) yield Buffer.from(text, "utf8");
    else end += room.write(text, end, "utf8");
  }
  yield room.subarray(0, end);
}

/** The file is first written next to its place, so that it never appears incomplete. */
function createFile(path: string, pieces: Iterable<Buffer>): void {
  assertFree(path);
  makeFolderDurably(dirname(path));
  const fresh = unfinishedPath(path, process.pid);
  const fd = openSync(fresh, "wx+", 0o600);
  try {
    const hash = createHash("sha256");
    const sizeBytes = writePieces(fd, pieces, (piece) => hash.update(piece));
    fsyncSync(fd);
    assertWritten(fd, { sizeBytes, sha256: hash.digest("hex") }, path);
    renameDurably(fresh, path);
  } catch (error) {
    // The removal is durable: the note about the change is removed too, so nobody would find this file after a power
    // cut.
    removeLeft(fresh);
    throw error;
  } finally {
    closeSync(fd);
  }
}

function assertFree(path: string): void {
  if (existsSync(path)) throw new ContinuoError("conflict", `cannot write ${path}: the file already exists`);
}

/** Returns the size of the file. */
function writePieces(
  fd: number,
  pieces: Iterable<Buffer>,
  onPiece: (piece: Buffer) => void = () => undefined,
): number {
  let end = 0;
  for (const piece of pieces) {
    writeAll(fd, piece, end);
    onPiece(piece);
    end += piece.length;
  }
  return end;
}

function writeAll(fd: number, bytes: Buffer, position: number): void {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(fd, bytes, done, bytes.length - done, position + done);
  }
}

interface FileDigest {
  readonly sizeBytes: number;
  readonly sha256: string;
}

function assertWritten(fd: number, { sizeBytes, sha256 }: FileDigest, path: string): void {
  const hash = createHash("sha256");
  const back = Buffer.alloc(Math.min(sizeBytes + 1, PIECE_BYTES));
  let done = 0;
  for (let read = -1; read !== 0; done += read) {
    read = readSync(fd, back, 0, back.length, done);
    hash.update(back.subarray(0, read));
  }
  if (done !== sizeBytes || hash.digest("hex") !== sha256) {
    throw new ContinuoError(
      "unwritable",
      `verification failed: ${path} does not contain what was just written to it`,
    );
  }
}

function guarded(path: string, write: () => void): void {
  try {
    write();
  } catch (cause) {
    if (!isWriteFailure(cause)) throw cause;
    throw writeFailure(`cannot write ${path}`, cause, "Try again; nothing was added to the session.");
  }
}
