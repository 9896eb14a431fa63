/** Text to a stream, no faster than it is read. */

import type { Writable } from "node:stream";
import { toJsonText } from "./text.ts";

export interface Output {
  /**
   * Resolves when the stream accepts more. One text is written completely before the next one begins, whether or not a
   * caller waits.
   */
  write(text: string): Promise<void>;
  /** True if the reader has closed the output. */
  readonly isClosed: boolean;
}

const CHUNK_CHARS = 64 * 1024;

export function createOutput(stream: Writable): Output {
  let isClosed = false;
  stream.once("close", () => {
    isClosed = true;
  });
  /** Resolves when pending output is written. */
  let before: Promise<void> | null = null;
  const writeAll = async (text: string): Promise<void> => {
    for (let at = 0; at < text.length; at += CHUNK_CHARS) {
      if (isClosed || stream.destroyed) return;
      if (stream.write(chunkAt(text, at))) continue;
      await drainOrEnd(stream);
    }
  };
  return {
    get isClosed(): boolean {
      return isClosed || stream.destroyed;
    },
    async write(text) {
      const writing = before === null ? writeAll(text) : before.then(() => writeAll(text));
      before = writing;
      await writing;
      if (before === writing) before = null;
    },
  };
}

interface JsonList<T> {
  toJson(item: T): unknown;
  readonly output: Output;
}

/** Thousands of items are written part by part, because a text of all of them is several times as slow. */
export async function writeJsonList<T>(items: readonly T[], { toJson, output }: JsonList<T>): Promise<void> {
  if (items.length === 0) return await output.write("[]\n");
  for (let at = 0; at < items.length; at += ITEMS_AT_A_TIME) {
    const some = items.slice(at, at + ITEMS_AT_A_TIME).map((item) => toJson(item));
    // Without the brackets of an array that has two spaces before each item.
    const text = toJsonText(some, 2).slice("[".length, -"\n]".length);
    await output.write(`${at === 0 ? "[" : ","}${text}`);
  }
  await output.write("\n]\n");
}

const ITEMS_AT_A_TIME = 64;

/** The listeners of the stream receive an error; here the error only ends the wait. */
async function drainOrEnd(stream: Writable): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const events = ["drain", "close", "error"];
  for (const event of events) stream.once(event, resolve);
  await promise;
  for (const event of events) stream.removeListener(event, resolve);
}

/** A surrogate pair cut in two would be written as two U+FFFD. */
function chunkAt(text: string, at: number): string {
  const start = isInsidePair(text, at) ? at + 1 : at;
  const end = isInsidePair(text, at + CHUNK_CHARS) ? at + CHUNK_CHARS + 1 : at + CHUNK_CHARS;
  return text.slice(start, end);
}

function isInsidePair(text: string, at: number): boolean {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(at - 1, at + 1)) && at > 0;
}
