/** The events of a run, over all its attempts, and the events of a session: each once, in order. */

import {
  isEvent,
  isEventType,
  type KnownEvent,
  type Payload,
  present,
  RUN_END_STATUSES,
  RUN_EVENTS,
  type RunStatus,
  readAll,
  type Store,
  type StoredEvent,
} from "@continuo/core/model";
import { latestAttempt } from "@continuo/store/sessions";
import { type EventOf, type IncludedTypes, type OwnEvent, ownEventOf } from "./define-event.ts";
import { GIVEN_UP } from "./failure-text.ts";

/**
 * Returns true if Continuo defines the type of the event, and its payload exists and is valid. The type of the payload
 * then follows from `type`.
 */
export function isKnownEvent(event: StoredEvent): event is KnownEvent {
  return isEventType(event.type) && event.invalid === undefined && event.pruned === undefined;
}

export interface FollowOptions<Own extends IncludedTypes = IncludedTypes> {
  readonly after?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Types of the program whose events are read too. */
  readonly include?: Own | undefined;
}

/** An event that a stream has; `null` for any other. */
async function readableOf<Own extends IncludedTypes>(
  event: StoredEvent,
  include: Own | undefined,
): Promise<EventOf<Own> | null> {
  if (isKnownEvent(event)) return event;
  return (await ownEventOf(event, include ?? [])) as OwnEvent<Own[number]> | null;
}

export async function* sessionEvents<Own extends IncludedTypes = []>(
  store: Store,
  sessionId: string,
  { after = 0, signal, include }: FollowOptions<Own> = {},
): AsyncGenerator<EventOf<Own>, void> {
  for await (const event of store.tail(sessionId, { after, ...present({ signal }) })) {
    const readable = await readableOf(event, include);
    if (readable !== null) yield readable;
  }
}

export interface FollowRun<Own extends IncludedTypes = IncludedTypes> extends FollowOptions<Own> {
  readonly sessionId: string;
  /** The run of the first attempt. */
  readonly runId: string;
  /** True if an attempt with this end is followed by another one. */
  readonly isRetried: (status: RunStatus) => boolean;
  /** True if the last attempt has ended already. */
  readonly isOver: () => Promise<boolean>;
}

/** The status of a run after an event of one of these types has ended it. */
export const ENDS: Readonly<Record<string, RunStatus>> = Object.fromEntries(
  RUN_END_STATUSES.map((status) => [RUN_EVENTS[status], status]),
);

/** Yields the events of a run with all its attempts, and ends after the event that ends the last attempt. */
export async function* runEvents<Own extends IncludedTypes = []>(
  store: Store,
  follow: FollowRun<Own>,
): AsyncGenerator<EventOf<Own>, void> {
  const { sessionId, runId, isRetried, isOver, signal, include } = follow;
  const attempts = new Set([runId]);
  const start = await startOf(store, sessionId, runId);
  const after = follow.after === undefined || follow.after < start ? start : follow.after;
  await addAttempts(store, { sessionId, runId, attempts, before: after });
  const range = { after, ...present({ signal }) };
  // After the last attempt has ended, the log gets no further event of the run, so there is nothing to wait for. If the
  // reader disconnects, both ways of reading end without an error.
  const events = (await isOver()) ? readAll(store, sessionId, { after }) : store.tail(sessionId, range);
  for await (const event of events) {
    if (signal?.aborted === true) return;
    if (isKnownEvent(event) && event.type === "run_created" && retryOf(event.data) === runId) {
      attempts.add(event.data.runId);
    }
    if (event.runId === undefined || !attempts.has(event.runId)) continue;
    const readable = await readableOf(event, include);
    if (readable === null) continue;
    yield readable;
    if (!isKnownEvent(event)) continue;
    const status = ENDS[event.type];
    const isGivenUp = event.type === "error_raised" && event.data.code === GIVEN_UP;
    const isEnd = isGivenUp || (status !== undefined && !isRetried(status));
    if (isEnd && (await latestAttempt(store, runId, {})) === event.runId) return;
  }
}

/** The sequence before the run's first event. */
async function startOf(store: Store, sessionId: string, runId: string): Promise<number> {
  const { events } = await store.read(sessionId, { runId, types: ["run_created"], limit: 1 });
  return (events[0]?.sequence ?? 1) - 1;
}

interface Attempts {
  readonly sessionId: string;
  readonly runId: string;
  readonly attempts: Set<string>;
  readonly before: number;
}

/** Adds the attempts that began before the place at which a reader continues. */
async function addAttempts(store: Store, { sessionId, runId, attempts, before }: Attempts): Promise<void> {
  const range = { before: before + 1, types: ["run_created"], texts: [runId] };
  for await (const event of readAll(store, sessionId, range)) {
    if (isEvent(event, "run_created") && retryOf(event.data) === runId) attempts.add(event.data.runId);
  }
}

function retryOf({ metadata }: Payload<"run_created">): unknown {
  return metadata?.retryOf;
}
