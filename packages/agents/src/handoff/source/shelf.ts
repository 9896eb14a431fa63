/**
 * Keeps the messages of a large session in two files of a private folder during a hand-over. Only the short fields of
 * the messages, which are read often, and the parts that were read last, are in memory.
 *
 * One file has the texts of the messages. The other one is smaller and is read more often; it has all other fields and
 * the positions of the texts.
 */

import { closeSync, openSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import { getHeapStatistics } from "node:v8";
import type { SessionDetails } from "@continuo/core/model";
import { isCompressed } from "@continuo/files/records";
import { openScratch } from "@continuo/native/editing/placing";
import { type FoundSession, keepMessage } from "@continuo/native/kit";

export interface Shelf extends Disposable {
  /** Returns a message with the same content; its long fields may be read from the file when they are used. */
  keep<M extends object>(message: M): M;
}

/**
 * A session up to this size is held in memory, where it needs several times this size. The limit is lower if the heap
 * is small.
 */
const HELD_BYTES: number = Math.min(64 * 1024 * 1024, getHeapStatistics().heap_size_limit / 32);
/** Compressed files expand to many times their size. */
const HELD_COMPRESSED_BYTES = 1024 * 1024;

/**
 * Returns true if the session is too large for memory.
 *
 * @param sizeBytes the size of the session itself: a database has the sessions of others too, and their indexes.
 */
export function isLarge({ files }: FoundSession, { sizeBytes }: Pick<SessionDetails, "sizeBytes">): boolean {
  return files.some((file) =>
    isCompressed(file.path)
      ? file.sizeBytes > HELD_COMPRESSED_BYTES
      : Math.min(file.sizeBytes, sizeBytes) > HELD_BYTES,
  );
}

/** @param use `memory`: messages stay as they are. */
export function openShelf(use: "file" | "memory"): Shelf {
  if (use === "memory") return { keep: (message) => message, [Symbol.dispose]: () => undefined };
  using stack = new DisposableStack();
  const scratch = stack.use(openScratch());
  const open = (name: string): JsonFile =>
    createJsonFile(stack.adopt(openSync(join(scratch.path, name), "wx+", 0o600), closeSync));
  const [words, facts] = [open("words"), open("facts")];
  const parts = {
    read: (place: number, key: string) => {
      const fact = facts.read(place);
      return WORDS.has(key) ? words.read(Number(fact[AT]))[key] : fact[key];
    },
  };
  const all = stack.move();
  return {
    keep(message) {
      const entries = Object.entries(message);
      const at = words.append(Object.fromEntries(entries.filter(([key]) => WORDS.has(key))));
      const others = entries.filter(([key]) => !WORDS.has(key));
      return keepMessage(message, parts, facts.append({ ...Object.fromEntries(others), [AT]: at }));
    },
    [Symbol.dispose]: () => all.dispose(),
  };
}

type JsonRecord = Readonly<Record<string, unknown>>;

const WORDS: ReadonlySet<string> = new Set(["content", "toolInput", "toolOutput"]);
/** The key of the place of the words; no message has such a key. */
const AT = "@";

interface JsonFile {
  /** Returns the position of the part in the file. */
  append(part: JsonRecord): number;
  read(place: number): JsonRecord;
}

const LENGTH_BYTES = 4;

/** Writes the length of each part before the part. */
function createJsonFile(file: number): JsonFile {
  const bytes = createBytes(file);
  const read = createRecent((place) => {
    const sizeBytes = bytes.read(place, LENGTH_BYTES).readUInt32LE(0);
    const text = bytes.read(place + LENGTH_BYTES, sizeBytes).toString("utf8");
    return { part: JSON.parse(text), sizeBytes };
  });
  return {
    append(part) {
      const json = JSON.stringify(part);
      const sizeBytes = Buffer.byteLength(json);
      const all = Buffer.allocUnsafe(LENGTH_BYTES + sizeBytes);
      all.writeUInt32LE(sizeBytes, 0);
      all.write(json, LENGTH_BYTES);
      return bytes.append(all);
    },
    read,
  };
}

/** The greatest number of bytes in memory; the parts that were read last stay there. */
const RECENT_BYTES = 1024 * 1024;

function createRecent(
  read: (place: number) => { readonly part: JsonRecord; readonly sizeBytes: number },
): (place: number) => JsonRecord {
  const recent = new Map<number, { readonly part: JsonRecord; readonly sizeBytes: number }>();
  let held = 0;
  return (place) => {
    const known = recent.get(place);
    if (known !== undefined) return known.part;
    const one = read(place);
    for (const [oldest, { sizeBytes }] of recent) {
      if (held + one.sizeBytes <= RECENT_BYTES) break;
      recent.delete(oldest);
      held -= sizeBytes;
    }
    recent.set(place, one);
    held += one.sizeBytes;
    return one.part;
  };
}

interface Bytes {
  /** Returns the position of the bytes in the file. */
  append(bytes: Buffer): number;
  /** The returned bytes are valid until the next call. */
  read(place: number, length: number): Buffer;
}

const WINDOW_BYTES = 256 * 1024;

/** Writes bytes one after the other in large pieces, and reads them through a moving window. */
function createBytes(file: number): Bytes {
  let pending: Buffer[] = [];
  let [written, end] = [0, 0];
  const room = Buffer.alloc(WINDOW_BYTES);
  let window: Buffer = room.subarray(0, 0);
  let start = 0;
  const flush = (): void => {
    const bytes = Buffer.concat(pending);
    for (let done = 0; done < bytes.length; ) {
      done += writeSync(file, bytes, done, bytes.length - done, written + done);
    }
    written = end;
    pending = [];
  };
  return {
    append(bytes) {
      const place = end;
      pending.push(bytes);
      end += bytes.length;
      if (end - written > WINDOW_BYTES) flush();
      return place;
    },
    read(place, length) {
      if (place + length > written) flush();
      if (place < start || place + length > start + window.length) {
        const wanted = length > room.length ? Buffer.allocUnsafe(length) : room;
        window = wanted.subarray(0, readAt(file, wanted, place));
        start = place;
      }
      return window.subarray(place - start, place - start + length);
    },
  };
}

/** Returns the number of bytes. */
function readAt(file: number, bytes: Buffer, position: number): number {
  let filled = 0;
  while (filled < bytes.length) {
    const count = readSync(file, bytes, filled, bytes.length - filled, position + filled);
    if (count === 0) break;
    filled += count;
  }
  return filled;
}
