/** Makes windows: a limited number of consecutive messages of a history. Pure, except that it reads the spool. */

import { ContinuoError, type Message } from "@continuo/core/model";
import { createTurnStarts } from "@continuo/core/transcript";
import type { HistoryName, HistoryWindow, WindowMessage } from "@continuo/core/wire/machine";
import type { Prices } from "../catalog/index.ts";
import type { CachedHistory } from "./cached-history.ts";
import { HISTORY_LIMITS } from "./limits.ts";
import { toShownMessage } from "./rendered-message.ts";
import { costOfMessage } from "./turn-facts.ts";

export interface WindowQuery {
  readonly before?: string;
  readonly after?: string;
  /** The id of a message, or `turn:NUMBER`. */
  readonly around?: string;
  readonly limit?: number;
}

/** Errors: `not_found` for a message or a turn that is not in this history. */
export function windowOf(kept: CachedHistory, name: HistoryName, query: WindowQuery): HistoryWindow {
  const { limit = HISTORY_LIMITS.windowMessages } = query;
  const { first, towards } = startOf(kept, query, limit);
  const messages: WindowMessage[] = [];
  let chars = 0;
  const isFull = (): boolean => messages.length >= limit || chars > HISTORY_LIMITS.windowChars;
  const step = towards === "newer" ? 1 : -1;
  let index = first;
  for (; index >= 0 && index < kept.length && !isFull(); index += step) {
    const shown = windowMessageAt(kept, name, index);
    chars += JSON.stringify(shown).length;
    messages.push(shown);
  }
  if (towards === "older") messages.reverse();
  const [oldest, newest] = towards === "newer" ? [first, index - 1] : [index + 1, first];
  return {
    messages,
    hasOlder: oldest > 0,
    hasNewer: newest < kept.length - 1,
    total: kept.length,
    turns: kept.turns.length,
    position: positionOf(kept),
  };
}

export function positionOf({ generation, revision }: Pick<CachedHistory, "generation" | "revision">): string {
  return `${generation}.${revision}`;
}

export function windowMessageAt(kept: CachedHistory, name: HistoryName, index: number): WindowMessage {
  const message = kept.messageAt(index);
  const turn = kept.turnAt(index);
  return {
    ...toShownMessage(message, name),
    index,
    turnId: kept.turns[turn]?.id ?? message.id,
    turn: turn + 1,
    costUsd: costOfMessage(message, kept.prices),
  };
}

interface Start {
  readonly first: number;
  readonly towards: "newer" | "older";
}

function startOf(kept: CachedHistory, { before, after, around }: WindowQuery, limit: number): Start {
  if (before !== undefined) return { first: indexOf(kept, before) - 1, towards: "older" };
  if (after !== undefined) return { first: indexOf(kept, after) + 1, towards: "newer" };
  if (around === undefined) return { first: kept.length - 1, towards: "older" };
  const lead = Math.min(HISTORY_LIMITS.aroundMessages, Math.floor(limit / 4));
  return { first: Math.max(0, placeOf(kept, around) - lead), towards: "newer" };
}

function placeOf(kept: CachedHistory, around: string): number {
  const number = /^turn:(\d{1,9})$/u.exec(around)?.[1];
  if (number === undefined) return indexOf(kept, around);
  const turn = kept.turns[Number(number) - 1];
  if (turn !== undefined) return turn.index;
  throw new ContinuoError("not_found", `the session has no turn ${number}`, {
    hint: `Name a turn from 1 to ${kept.turns.length}.`,
  });
}

export function indexOf(kept: CachedHistory, id: string): number {
  const index = kept.indexOf(id);
  if (index !== undefined) return index;
  throw new ContinuoError("not_found", `no message of this history has the id ${JSON.stringify(id)}`, {
    hint: "Read the newest window again: the agent may have rewritten the session.",
  });
}

/**
 * A window into the end of a session that was not read as a whole yet; `null` if the requested message is not in it.
 */
export function tipWindow(
  messages: readonly Message[],
  { key, prices }: { readonly key: string; readonly prices: Prices },
  { before, after, around, limit = HISTORY_LIMITS.windowMessages }: WindowQuery,
): HistoryWindow | null {
  if (after !== undefined || around !== undefined) return null;
  const end = before === undefined ? messages.length : messages.findIndex(({ id }) => id === before);
  if (end < 1) return null;
  // The message with which the first turn begins is not known yet.
  let turnId = messages[0]?.id ?? "";
  const beginsTurn = createTurnStarts(true);
  const shown = messages.slice(0, end).map((message) => {
    if (beginsTurn(message)) turnId = message.id;
    return { message, turnId };
  });
  let chars = 0;
  const window: WindowMessage[] = [];
  for (const each of shown.slice(-limit).reverse()) {
    if (chars > HISTORY_LIMITS.windowChars) break;
    const costUsd = costOfMessage(each.message, prices);
    const one = {
      ...toShownMessage(each.message, { key }),
      index: null,
      turnId: each.turnId,
      turn: null,
      costUsd,
    };
    chars += JSON.stringify(one).length;
    window.unshift(one);
  }
  const hasNewer = end < messages.length;
  return { messages: window, hasOlder: true, hasNewer, total: null, turns: null, position: null };
}
