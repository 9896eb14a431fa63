/**
 * Keeps the messages of a large session in two files of a private folder during a hand-over.
 *
 * One file has the long texts. A message without them is its outline, in which the position of a text stands for the
 * text; most steps of a hand-over need no more. Outlines are in memory up to a limit, and in the other file from there.
 */

import { closeSync, openSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import { getHeapStatistics } from "node:v8";
import type { SessionDetails } from "@continuo/core/model";
import { openScratch } from "@continuo/files";
import { isCompressed } from "@continuo/files/records";
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

/**
 * @param use `memory`: messages stay as they are.
 * @param heldChars the outlines in memory have at most this length as JSON, and need several times as many bytes.
 */
export function openShelf(use: "file" | "memory", heldChars: number = HELD_BYTES / 8): Shelf {
  if (use === "memory") return { keep: (message) => message, [Symbol.dispose]: () => undefined };
  using stack = new DisposableStack();
  const scratch = stack.use(openScratch());
  const open = (name: string): Texts =>
    createTexts(stack.adopt(openSync(join(scratch.path, name), "wx+", 0o600), closeSync));
  const [texts, outlines] = [open("texts"), open("outlines")];
  const openOutline = (json: string): Outline => withTexts(JSON.parse(json), texts);
  const held: Outline[] = [];
  const positions: string[] = [];
  const recent = createRecent((at: number) => {
    const json = outlines.read(positions[at] ?? "");
    return { value: openOutline(json), sizeBytes: json.length };
  });
  const inMemory = { read: (at: number, key: string) => held[at]?.[key] };
  const inFile = { read: (at: number, key: string) => recent(at)[key] };
  let room = heldChars;
  const all = stack.move();
  return {
    keep(message) {
      const json = outlineOf(message, texts);
      room -= json.length;
      return room >= 0
        ? keepMessage(message, inMemory, held.push(openOutline(json)) - 1)
        : keepMessage(message, inFile, positions.push(outlines.append(json)) - 1);
    },
    [Symbol.dispose]: () => all.dispose(),
  };
}

type Outline = Readonly<Record<string, unknown>>;

const SHORT_CHARS = 256;
/** The first character of the position of a text. A text that begins with it is stored like a long one. */
const MARK = "\0";

/** Returns the JSON of a value in which positions stand for the long texts, which are stored. */
function outlineOf(message: object, texts: Texts): string {
  return JSON.stringify(message, (_key, value: unknown) =>
    typeof value === "string" && (value.length > SHORT_CHARS || value.startsWith(MARK))
      ? texts.append(value)
      : value,
  );
}

/** Changes a parsed outline: what reads a position now reads the text from the file. */
function withTexts<T extends object>(outline: T, texts: Texts): T {
  for (const [key, value] of Object.entries(outline)) {
    if (typeof value === "object" && value !== null) withTexts(value, texts);
    else if (typeof value === "string" && value.startsWith(MARK)) {
      Object.defineProperty(outline, key, { get: () => texts.read(value), enumerable: true });
    }
  }
  return outline;
}

interface Texts {
  /** Returns the position of the text, as a text that begins with `MARK`. */
  append(text: string): string;
  read(position: string): string;
}

function createTexts(file: number): Texts {
  const bytes = createBytes(file);
  const read = createRecent((position: string) => {
    const [encoding, at, sizeBytes] = position.slice(MARK.length).split(" ");
    const value = bytes
      .read(Number(at), Number(sizeBytes))
      .toString(encoding === "utf16le" ? encoding : "utf8");
    return { value, sizeBytes: Number(sizeBytes) };
  });
  return {
    append(text) {
      // UTF-8 has no form for half of a surrogate pair.
      const encoding = text.isWellFormed() ? "utf8" : "utf16le";
      const written = Buffer.from(text, encoding);
      return `${MARK}${encoding} ${bytes.append(written)} ${written.length}`;
    },
    read,
  };
}

/** The greatest number of bytes in memory; the values that were read last stay there. */
const RECENT_BYTES = 1024 * 1024;

function createRecent<Key, Value>(
  read: (key: Key) => { readonly value: Value; readonly sizeBytes: number },
): (key: Key) => Value {
  const recent = new Map<Key, { readonly value: Value; readonly sizeBytes: number }>();
  let held = 0;
  return (key) => {
    const known = recent.get(key);
    if (known !== undefined) return known.value;
    const one = read(key);
    for (const [oldest, { sizeBytes }] of recent) {
      if (held + one.sizeBytes <= RECENT_BYTES) break;
      recent.delete(oldest);
      held -= sizeBytes;
    }
    recent.set(key, one);
    held += one.sizeBytes;
    return one.value;
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
