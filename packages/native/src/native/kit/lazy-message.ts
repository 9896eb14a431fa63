/**
 * Messages whose texts are elsewhere, for example in a file, until a caller reads them. A caller that selects messages
 * of a long history, or changes them one by one, never has all of them in memory. They look like any other message.
 */

import type { Block, Message } from "@continuo/core/model";

/** Access to the parts of messages. */
export interface MessageParts {
  /** The value of a key of the message at that place. */
  read(place: number, key: string): unknown;
}

interface LazyMessage {
  readonly [PARTS]: MessageParts;
  readonly [PLACE]: number;
}

const PARTS: unique symbol = Symbol("parts");
const PLACE: unique symbol = Symbol("place");

/** Keys whose values stay in memory, because they are short and often read. */
const HELD: ReadonlySet<string> = new Set(["id", "role", "origin", "toolCallId"]);

/** A message with the same keys; the long ones are read from `parts` at each access. */
export function keepMessage<M extends object>(message: M, parts: MessageParts, place: number): M {
  const kept = {};
  Object.defineProperty(kept, PARTS, { value: parts });
  Object.defineProperty(kept, PLACE, { value: place });
  for (const key of Object.keys(message)) {
    const held = HELD.has(key) ? { value: message[key as keyof M], enumerable: true } : readerOf(key);
    Object.defineProperty(kept, key, held);
  }
  return kept as M;
}

/** The message with other content, which is made on access if the message itself is stored elsewhere. */
export function withContent(
  message: Message,
  change: (content: readonly Block[]) => readonly Block[],
): Message {
  if (!(PARTS in message)) return { ...message, content: change(message.content) };
  const read = (_place: number, key: string): unknown =>
    key === "content" ? change(message.content) : message[key as keyof Message];
  return keepMessage(message, { read }, 0);
}

const readers = new Map<string, PropertyDescriptor>();

/** There is one function per key for all messages, so that they share a shape. */
function readerOf(key: string): PropertyDescriptor {
  let reader = readers.get(key);
  if (reader === undefined) {
    const get = function (this: LazyMessage): unknown {
      return this[PARTS].read(this[PLACE], key);
    };
    reader = { get, enumerable: true };
    readers.set(key, reader);
  }
  return reader;
}
