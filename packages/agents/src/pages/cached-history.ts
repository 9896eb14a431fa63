/** The messages of one history with random access: their texts are in a spool file, and their positions in memory. */

import { randomUUID } from "node:crypto";
import type { Message } from "@continuo/core/model";
import { createTurnStarts } from "@continuo/core/transcript";
import { MAX_WORK_CHARS } from "@continuo/core/transcript/work";
import type { Prices } from "../catalog/index.ts";
import { createSpool, type SpoolPlace } from "./spool.ts";
import { createTurnFacts, foldTurn, type TurnFacts } from "./turn-facts.ts";

export interface CachedHistory extends Disposable {
  /** Different for every reading of the same session. */
  readonly generation: string;
  readonly prices: Prices;
  /** Grows with each change. */
  readonly revision: number;
  readonly length: number;
  readonly turns: readonly TurnFacts[];
  idAt(index: number): string | undefined;
  indexOf(id: string): number | undefined;
  /** 0-based. */
  turnAt(index: number): number;
  revisionAt(index: number): number;
  messageAt(index: number): Message;
  /** The message as JSON. */
  textAt(index: number): string;
  /** Adds a message at the end, or replaces one with its new form. */
  put(message: Message): void;
  /** Returns true if the history has the message in this form. */
  has(message: Message, index: number): boolean;
  /** Call it after several `put`: it updates the facts of changed turns. */
  settle(): void;
}

export function createCachedHistory(generation: string, prices: Prices): CachedHistory {
  const spool = createSpool();
  const ids: string[] = [];
  const places: SpoolPlace[] = [];
  const turnOf: number[] = [];
  const revisions: number[] = [];
  const byId = new Map<string, number>();
  const turns: TurnFacts[] = [];
  const stale = new Set<number>();
  const beginsTurn = createTurnStarts();
  const budget = { chars: MAX_WORK_CHARS };
  let revision = 0;
  const textAt = (index: number): string => {
    const place = places[index];
    if (place === undefined) throw new RangeError("no message has this place");
    return spool.read(place);
  };
  const messageAt = (index: number): Message => JSON.parse(textAt(index));
  const fold = (message: Message, index: number): void => {
    let turn = turns.at(-1);
    if (beginsTurn(message) || turn === undefined) {
      turn = createTurnFacts(message, index, turn);
      turns.push(turn);
    }
    turnOf[index] = turns.length - 1;
    foldTurn(turn, message, { index, prices, budget });
  };
  return {
    generation,
    prices,
    get revision() {
      return revision;
    },
    get length() {
      return ids.length;
    },
    turns,
    idAt: (index) => ids[index],
    indexOf: (id) => byId.get(id),
    turnAt: (index) => turnOf[index] ?? 0,
    revisionAt: (index) => revisions[index] ?? 0,
    messageAt,
    textAt,
    put(message) {
      revision += 1;
      const known = byId.get(message.id);
      const index = known ?? ids.length;
      ids[index] = message.id;
      byId.set(message.id, index);
      places[index] = spool.add(JSON.stringify(message));
      revisions[index] = revision;
      if (known === undefined) fold(message, index);
      else stale.add(turnOf[index] ?? 0);
    },
    has: (message, index) => {
      const place = places[index];
      return (
        ids[index] === message.id && place !== undefined && spool.read(place) === JSON.stringify(message)
      );
    },
    settle() {
      for (const number of stale) {
        const first = turns[number]?.index ?? 0;
        const end = turns[number + 1]?.index ?? ids.length;
        budget.chars += turns[number]?.work.chars ?? 0;
        const turn = createTurnFacts(messageAt(first), first, turns[number - 1]);
        for (let index = first; index < end; index++)
          foldTurn(turn, messageAt(index), { index, prices, budget });
        turns[number] = turn;
      }
      stale.clear();
    },
    [Symbol.dispose]: () => spool.close(),
  };
}

/** Leaves out the fields that repeat the call and the result. */
export function toKept({ toolInput: _input, toolOutput: _output, ...message }: Message): Message {
  return message;
}

/** Stores all these messages. The caller disposes of the history. */
export async function keepHistory(
  messages: AsyncIterable<Message> | Iterable<Message>,
  prices: Prices,
): Promise<CachedHistory> {
  const kept = createCachedHistory(randomUUID(), prices);
  try {
    for await (const message of messages) kept.put(toKept(message));
    kept.settle();
    return kept;
  } catch (error) {
    kept[Symbol.dispose]();
    throw error;
  }
}
