/** Reads events for the transcript: stored events, and events that another program wrote with other keys. */

import type { Actor } from "../../model/index.ts";

/** Every `StoredEvent` is an `EventLike`. If a value has several names, the first one that is present counts. */
export interface EventLike {
  readonly type: string;
  readonly data?: unknown;
  /** Another name of `data`. */
  readonly payload?: unknown;
  /** A number, or its digits: some databases give whole numbers as text. */
  readonly sequence?: number | string | null;
  readonly sequence_number?: number | string | null;
  readonly id?: string | null;
  /** ISO 8601 UTC; a number is milliseconds since 1970. */
  readonly occurredAt?: string | number | null | undefined;
  readonly occurred_at?: string | number | null;
  readonly timestamp?: string | number | null;
  readonly runId?: string | null;
  readonly run_id?: string | null;
  readonly logId?: string | null;
  readonly log_id?: string | null;
  readonly sessionId?: string | null;
  readonly session_id?: string | null;
  readonly actor?: Actor | null;
  readonly pruned?: unknown;
}

/** An event in which each value has exactly one name; the fold uses this form. */
export interface EventEntry {
  readonly type: string;
  readonly data: unknown;
  /** `undefined` for an entry that is in no log yet. */
  readonly sequence: number | undefined;
  readonly id: string | undefined;
  /** ISO 8601. */
  readonly time: string | undefined;
  readonly runId: string | undefined;
  readonly actor: Actor | undefined;
  readonly isPruned: boolean;
}

export function toEntry(event: EventLike): EventEntry {
  return {
    type: event.type,
    data: event.data === undefined ? event.payload : event.data,
    sequence: sequenceOf(event),
    id: event.id ?? undefined,
    time: timeOf(event),
    runId: event.runId ?? event.run_id ?? undefined,
    actor: event.actor ?? undefined,
    isPruned: event.pruned !== undefined && event.pruned !== null,
  };
}

export function sequenceOf(event: EventLike): number | undefined {
  const given = event.sequence ?? event.sequence_number;
  const sequence = typeof given === "string" && DIGITS.test(given) ? Number(given) : given;
  return typeof sequence === "number" && Number.isFinite(sequence) ? sequence : undefined;
}

/** This is fewer digits than a number can hold exactly. */
const DIGITS = /^\d{1,15}$/u;

/** Returns the id of the event's log: the log of a session has the id of the session. */
export function logIdOf(event: EventLike): string | undefined {
  return event.logId ?? event.log_id ?? event.sessionId ?? event.session_id ?? undefined;
}

export function timeOf(event: EventLike): string | undefined {
  const time = event.occurredAt ?? event.occurred_at ?? event.timestamp;
  if (typeof time === "string") return time;
  // A `Date` cannot represent a later or an earlier time.
  return typeof time === "number" && Math.abs(time) <= 8.64e15 ? new Date(time).toISOString() : undefined;
}
