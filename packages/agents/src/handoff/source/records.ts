/**
 * Reads the records of a source once, in their order: their number, their hash, the note about an origin, the receipt
 * lines of those that belong to no message, and the copy that is stored with the new session.
 */

import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { createZstdCompress } from "node:zlib";
import { type Entry, present } from "@continuo/core/model";
import { exactOf, isWriteFailure, writeFailure } from "@continuo/files";
import type { KeptRecord } from "@continuo/native/writing";
import { placeText, type ReceiptRecord } from "../converting/index.ts";
import { noteIn } from "./note.ts";

export interface RecordFacts {
  readonly records: number;
  /** The hash of all records as JSON, in their order. */
  readonly sha256: string;
  /** The last note about the origin of the session; `null` if there is none. */
  readonly note: unknown;
  readonly left: readonly ReceiptRecord[];
  /** Reads the compressed copy of the records; `null` if none was made. */
  readonly copy: (() => AsyncIterable<Uint8Array>) | null;
}

export interface RecordOptions {
  /** The places of the records that belong to a message of the active history. */
  readonly ofMessages: ReadonlySet<string>;
  /** A new file for the copy; `null` for no copy. */
  readonly copyPath: string | null;
  /** If all records together are longer, no copy is made, because it would make the store too large. */
  readonly maxCopyChars?: number;
}

const MAX_COPY_CHARS = 256 * 1024 * 1024;
/** A write to the compressor takes as long as the compression of a short record, so many lines are written at once. */
const PIECE_BYTES = 256 * 1024;

/** Errors: those of the entries; `unwritable`. */
export async function readRecords(
  entries: AsyncIterable<Entry>,
  { ofMessages, copyPath, maxCopyChars = MAX_COPY_CHARS }: RecordOptions,
): Promise<RecordFacts> {
  const fold = createFold(ofMessages);
  if (copyPath === null) {
    for await (const entry of entries) fold.add(entry);
    return { ...fold.facts(), copy: null };
  }
  const lines = linesOf(entries, fold, maxCopyChars);
  try {
    await pipeline(lines, createZstdCompress(), createWriteStream(copyPath, { flags: "wx", mode: 0o600 }));
  } catch (cause) {
    if (!isWriteFailure(cause)) throw cause;
    throw writeFailure("cannot copy the records of the session", cause, "Try again; nothing was written.");
  }
  const copy = (): AsyncIterable<Uint8Array> => createReadStream(copyPath, { highWaterMark: PIECE_BYTES });
  return { ...fold.facts(), copy: fold.chars() > maxCopyChars ? null : copy };
}

/** The record in the form in which it can come back. */
export function keptOf({ file, line, rawSeparators, value }: Entry): KeptRecord {
  return { ...present({ file, line, rawSeparators }), value: exactOf(value) };
}

/** Returns the hash of `RecordFacts` for records that are already in memory. */
export function hashOf(entries: readonly KeptRecord[]): string {
  const hash = createHash("sha256");
  for (const { value } of entries) hash.update(`${JSON.stringify(value)}\n`);
  return hash.digest("hex");
}

const LF = Buffer.from("\n");
const END = Buffer.from("}\n");

interface Fold {
  /** Returns the JSON of the record; `undefined` for a line that is not JSON. */
  add(entry: Entry): Buffer | undefined;
  chars(): number;
  facts(): Omit<RecordFacts, "copy">;
}

function createFold(ofMessages: ReadonlySet<string>): Fold {
  const left: ReceiptRecord[] = [];
  const hash = createHash("sha256");
  let note: unknown = null;
  let [records, chars] = [0, 0];
  return {
    add(entry) {
      const json: string | undefined = JSON.stringify(exactOf(entry.value));
      const bytes = Buffer.from(String(json));
      hash.update(bytes);
      hash.update(LF);
      records += 1;
      chars += String(json).length;
      note = noteIn(entry.value) ?? note;
      const place = placeOf(entry);
      if (!ofMessages.has(place)) {
        const reason = `not part of the conversation: ${entry.type || "a record without a type"}`;
        left.push({ place, kind: "other", outcome: "noted", reason });
      }
      return json === undefined ? undefined : bytes;
    },
    chars: () => chars,
    facts: () => ({ records, sha256: hash.digest("hex"), note, left }),
  };
}

/** Yields the lines of the copy until they are too long; the entries are read to their end nevertheless. */
async function* linesOf(
  entries: AsyncIterable<Entry>,
  fold: Fold,
  maxChars: number,
): AsyncGenerator<Buffer, void, void> {
  let parts: Buffer[] = [];
  let sizeBytes = 0;
  for await (const entry of entries) {
    const json = fold.add(entry);
    if (fold.chars() > maxChars) continue;
    const { file, line, rawSeparators } = entry;
    const facts = JSON.stringify(present({ file, line, rawSeparators })).slice(0, -1);
    // The JSON of the record is used as it is, because writing it a second time would take as long as the first time.
    const head = json === undefined ? facts : `${facts === "{" ? "{" : `${facts},`}"value":`;
    const added = [Buffer.from(head), json ?? Buffer.alloc(0), END];
    parts.push(...added);
    for (const { length } of added) sizeBytes += length;
    if (sizeBytes < PIECE_BYTES) continue;
    yield Buffer.concat(parts);
    [parts, sizeBytes] = [[], 0];
  }
  yield Buffer.concat(parts);
}

function placeOf({ file, line, row }: Entry): string {
  if (row !== undefined) return row;
  return placeText([present({ file, line: line ?? undefined })]);
}
