/**
 * The messages of a draft. Arrays that a caller has received stay unchanged: new and changed messages are stored
 * separately.
 */

import type { Message } from "../../model/index.ts";

export interface MessageList {
  readonly length: number;
  at(position: number | undefined): Message | undefined;
  /** Adds a message and returns its position. */
  push(message: Message): number;
  replace(position: number, message: Message): void;
  /** The old forms of messages that a caller has received and that were replaced later. */
  replaced(): readonly (readonly [position: number, message: Message])[];
  /**
   * Returns all messages as one array, which is copied only if something changed. The list must not be used after this
   * call.
   */
  toArray(): readonly Message[];
}

export function createList(given: readonly Message[]): MessageList {
  const added: Message[] = [];
  const others = new Map<number, Message>();
  return {
    get length() {
      return given.length + added.length;
    },
    at(position) {
      if (position === undefined) return undefined;
      if (position >= given.length) return added[position - given.length];
      return others.get(position) ?? given[position];
    },
    push: (message) => given.length + added.push(message) - 1,
    replace(position, message) {
      if (position >= given.length) added[position - given.length] = message;
      else others.set(position, message);
    },
    replaced: () =>
      [...others.keys()].flatMap((position) => {
        const message = given[position];
        return message === undefined ? [] : [[position, message] as const];
      }),
    toArray() {
      if (given.length === 0) return added;
      if (added.length === 0 && others.size === 0) return given;
      const all = given.concat(added);
      for (const [position, message] of others) all[position] = message;
      return all;
    },
  };
}
