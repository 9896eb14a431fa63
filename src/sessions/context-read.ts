/**
 * What an agent may be told of a log, read at the cost of what it may be told. With a budget the log is read from its end
 * until the budget is full, however long it is; and its beginning, where the session's instructions stand.
 */

import type { LogReader, Message } from "../model/index.ts";
import { planContext, type Transcript, TranscriptBuilder } from "../transcript/index.ts";
import type { ContinuationOptions } from "./continuation.ts";
import { LIMITS } from "./limits.ts";

export interface ContextSource {
  readonly store: LogReader;
  readonly sessionId: string;
  /** Only what comes after it is read. */
  readonly after: number;
  readonly limits: ContinuationOptions;
  readonly signal: AbortSignal;
}

export interface ContextRead extends Transcript {
  readonly after: number;
  /** System messages of the beginning, where what follows them was not read. */
  readonly instructions: readonly Message[];
}

/** Errors: as the store's. */
export async function readContext(source: ContextSource): Promise<ContextRead> {
  const { after, limits } = source;
  const { limit, ...budget } = limits;
  const isBudgeted = Object.values(budget).some((value) => value !== undefined);
  if (!isBudgeted || limit !== undefined) {
    return { ...(await readNewest(source, limit)), after, instructions: [] };
  }
  for (let events: number = LIMITS.contextEvents; ; events *= 4) {
    const read = await readNewest(source, events);
    if (unreadUpTo(read) <= after) return { ...read, after, instructions: [] };
    if (isFull(read.messages, budget)) {
      return { ...read, after, instructions: await readInstructions(source, unreadUpTo(read)) };
    }
  }
}

function readNewest(
  { store, sessionId, after, signal }: ContextSource,
  limit: number | undefined,
): Promise<Transcript> {
  const newest = limit === undefined ? {} : { limit };
  return TranscriptBuilder.fromStore(store, sessionId, { after, signal, ...newest });
}

/** Up to here nothing was read. */
function unreadUpTo({ metadata }: Transcript): number {
  return metadata.older?.lastSequence ?? 0;
}

/** Whether words of a conversation were left out for the budget alone: older ones do not fit either. */
function isFull(messages: readonly Message[], budget: Omit<ContinuationOptions, "limit">): boolean {
  const plan = planContext(messages, budget);
  const kept = new Set(plan.messages.map(({ id }) => id));
  const left = messages.filter(({ id, role }) => role !== "system" && !kept.has(id)).length;
  const { calls, results } = plan.omitted.halves;
  return left > calls + results;
}

/** Those of the beginning that were not read otherwise. */
async function readInstructions(source: ContextSource, upTo: number): Promise<readonly Message[]> {
  const { store, sessionId, after, signal } = source;
  const before = Math.min(upTo, after + LIMITS.instructionEvents) + 1;
  const page = await store.read(sessionId, { after, before, types: ["message_sent"], signal });
  const { messages } = TranscriptBuilder.fromEvents(page.events, { sessionId });
  return messages.filter(({ role }) => role === "system");
}
