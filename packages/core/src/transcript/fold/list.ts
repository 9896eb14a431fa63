/** The messages of a draft: those that were given out, untouched, and what is new or other since. */

import type { Message } from "../../model/index.ts";

export interface MessageList {
  readonly length: number;
  at(position: number | undefined): Message | undefined;
  /** The place of the message. */
  push(message: Message): number;
  replace(position: number, message: Message): void;
  /** Messages that were given out and are replaced, as they were. */
  replaced(): readonly (readonly [position: number, message: Message])[];
  /** One array of all; the list must not be used afterwards. Costs one copy where something is new. */
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
