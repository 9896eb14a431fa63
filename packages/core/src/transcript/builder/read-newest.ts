/**
 * Reads the end of a log: a number of events, or as many as fit a budget, however long the log is. With a budget, the
 * beginning is read too, because the session's instructions are there.
 */

import { type EventPage, type LogReader, type Message, present } from "../../model/index.ts";
import { type BudgetOptions, isLimited, planWithinBudget, type StrategyOptions } from "../context/index.ts";
import { type EventLike, isFields, textField } from "../events/index.ts";
import { fromEvents } from "./from-events.ts";

/** The source of a transcript: any store, or the reading part of one. */
export type TranscriptSource = Pick<LogReader, "read" | "latestSequence">;

export interface EndOptions extends BudgetOptions, StrategyOptions {
  readonly limit?: number;
  readonly after?: number;
  readonly upTo?: number;
  readonly signal?: AbortSignal;
}

export interface NewestEvents {
  readonly events: readonly EventLike[];
  /** The sequence of the first event that was read; `null` if no older event is left. */
  readonly begins: number | null;
  /** The system messages at the beginning of the log. */
  readonly instructions: readonly EventLike[];
}

/** The greatest number of events in one page. */
export const PAGE_EVENTS = 10_000;
/** The number of events that are read first for a budget; each further try reads four times as many. */
const BUDGET_EVENTS = 512;
/** The number of events at the beginning of a log that are searched for its instructions. */
const INSTRUCTION_EVENTS = 1_000;

/** True if reading the end of the log is enough. Other strategies choose from the whole log. */
export function isReadFromEnd({ limit, strategy = "newest", ...budget }: EndOptions): boolean {
  return limit !== undefined || (strategy === "newest" && isLimited(budget));
}

export async function readNewest(
  store: TranscriptSource,
  sessionId: string,
  options: EndOptions,
): Promise<NewestEvents> {
  const { limit } = options;
  if (limit !== undefined) return readEnd(store, sessionId, { ...options, limit });
  for (let count = BUDGET_EVENTS; ; count *= 4) {
    const read = await readEnd(store, sessionId, { ...options, limit: count });
    if (read.begins === null) return read;
    if (!isFull(fromEvents(read.events, { sessionId }).messages, options)) continue;
    const unread = { ...options, upTo: read.begins - 1 };
    return { ...read, instructions: await readInstructions(store, sessionId, unread) };
  }
}

async function readEnd(
  store: TranscriptSource,
  sessionId: string,
  { limit, after = 0, upTo, signal }: EndOptions & { readonly limit: number },
): Promise<NewestEvents> {
  const pages: (readonly EventLike[])[] = [];
  let before = upTo === undefined ? null : upTo + 1;
  for (let left = limit; left > 0; ) {
    signal?.throwIfAborted();
    const page: EventPage = await store.read(sessionId, {
      after,
      order: "newest",
      limit: Math.min(left, PAGE_EVENTS),
      ...present({ before: before ?? undefined, signal }),
    });
    pages.unshift(page.events);
    left -= page.events.length;
    before = page.nextAfter;
    if (before === null) break;
  }
  return { events: pages.flat(), begins: before, instructions: [] };
}

/** True if the budget left messages out, because older messages do not fit then either. */
function isFull(messages: readonly Message[], options: BudgetOptions): boolean {
  const plan = planWithinBudget(messages, options);
  const kept = new Set(plan.messages.map(({ id }) => id));
  const left = messages.filter(({ id, role }) => role !== "system" && !kept.has(id)).length;
  const { calls, results } = plan.omitted.halves;
  return left > calls + results;
}

async function readInstructions(
  store: TranscriptSource,
  sessionId: string,
  { after = 0, upTo = after, signal }: EndOptions,
): Promise<readonly EventLike[]> {
  const before = Math.min(upTo, after + INSTRUCTION_EVENTS) + 1;
  const wanted = { after, before, types: ["message_sent"], ...present({ signal }) };
  const { events } = await store.read(sessionId, wanted);
  return events.filter(({ data }) => isFields(data) && textField(data, "role") === "system");
}
