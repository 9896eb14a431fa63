/** Reads: pages of a log across the stretches that it was forked from. */

import type { EventPage, ReadOptions, StoredEvent } from "../../model/index.ts";
import { LIMITS, type Scope, type Segment, type Work } from "../engine/index.ts";
import { type EventTuple, eventColumns, toStoredEvent } from "./events.ts";
import { holdsBytes, type LogRow, lineageOf, openLog } from "./log-rows.ts";
import { assertName, assertSequence, invalid, logRemoved } from "./refusals.ts";

export type ReadRequest = Omit<ReadOptions, "signal">;

export function* read(scope: Scope, logId: string, request: ReadRequest): Work<EventPage> {
  const wanted = wantedOf(request);
  const log = yield* openLog(scope, logId, "read");
  const { tuples, more } = yield* readPage(scope, log, wanted);
  const events: StoredEvent[] = new Array(tuples.length);
  for (let i = 0; i < tuples.length; i++) events[i] = toStoredEvent(logId, tuples[i] as EventTuple);
  const edge = wanted.newest ? events[0] : events.at(-1);
  return { events, nextAfter: more ? (edge?.sequence ?? null) : null };
}

export interface TailRequest {
  readonly logId: string;
  /** The log that is read: another one of the same id is not. */
  readonly logKey: number;
  readonly after: number;
  readonly types?: readonly string[];
}

export interface TailPage {
  readonly events: readonly StoredEvent[];
  /** Of each event's payload. */
  readonly sizes: readonly number[];
  /** Everything up to it was looked at. */
  readonly upTo: number;
  readonly more: boolean;
  readonly isClosed: boolean;
}

/** The next page of a tail. Errors: `not_found` when the log was deleted since, `gone`, `corrupt`. */
export function* readTail(scope: Scope, { logId, logKey, after, types }: TailRequest): Work<TailPage> {
  // The log is read before its events: an event that is appended in between is in the page or is announced.
  const log = yield* openLog(scope, logId, "read");
  if (log.log_key !== logKey) throw logRemoved(logId);
  const request = { after, limit: LIMITS.tailEvents, maxBytes: LIMITS.tailBytes };
  const wanted = wantedOf(types === undefined ? request : { ...request, types });
  const { tuples, more } = yield* readPage(scope, log, wanted);
  const last = tuples.at(-1)?.[0] ?? after;
  return {
    events: tuples.map((tuple) => toStoredEvent(logId, tuple)),
    sizes: tuples.map((tuple) => tuple[9]?.length ?? 0),
    upTo: more ? last : Math.max(last, log.head_sequence),
    more,
    isClosed: log.closed_at !== null,
  };
}

interface TuplePage {
  readonly tuples: readonly EventTuple[];
  readonly more: boolean;
}

function* readPage(scope: Scope, log: LogRow, wanted: ReadRange): Work<TuplePage> {
  const segments = yield* lineageOf(scope, log);
  const { newest } = wanted;
  const body = holdsBytes(log) ? "bytes" : "payload";
  const tuples: EventTuple[] = [];
  let bytes = 0;
  let more = false;
  for (const segment of newest ? [...segments].reverse() : segments) {
    if (more) break;
    const found = yield* readSegment(scope, segment, {
      ...wanted,
      body,
      taken: tuples.length,
      bytes,
    });
    for (const tuple of found) {
      const size = tuple[9]?.length ?? 0;
      if (tuples.length >= wanted.limit || (tuples.length > 0 && bytes + size > wanted.maxBytes)) {
        more = true;
        break;
      }
      tuples.push(tuple);
      bytes += size;
    }
  }
  if (newest) tuples.reverse();
  return { tuples, more };
}

interface ReadRange {
  readonly after: number;
  readonly before: number;
  readonly limit: number;
  readonly maxBytes: number;
  readonly types: readonly string[];
  readonly id: string | undefined;
  readonly runId: string | undefined;
  readonly newest: boolean;
}

function wantedOf(request: ReadRequest): ReadRange {
  const { after = 0, before = Number.MAX_SAFE_INTEGER, limit = 1_000, maxBytes = LIMITS.readBytes } = request;
  assertSequence("after", after);
  assertSequence("before", before);
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > LIMITS.readEvents) {
    throw invalid(`the limit of a read must be from 1 to ${LIMITS.readEvents}`, { limit });
  }
  if (!(maxBytes > 0)) throw invalid("maxBytes must be a number above 0", { maxBytes });
  if (request.order !== undefined && request.order !== "oldest" && request.order !== "newest") {
    throw invalid('the order of a read must be "oldest" or "newest"');
  }
  for (const type of request.types ?? []) assertName("type", type);
  if (request.id !== undefined) assertName("id", request.id);
  if (request.runId !== undefined) assertName("runId", request.runId);
  const newest = request.order === "newest";
  const { types = [], id, runId } = request;
  return { after, before, limit, maxBytes, types, id, runId, newest };
}

interface SegmentRead extends ReadRange {
  readonly body: "payload" | "bytes";
  readonly taken: number;
  readonly bytes: number;
}

/** One row more than fits, where there is one, so that the page knows that there is more. */
function* readSegment(scope: Scope, segment: Segment, wanted: SegmentRead): Work<readonly EventTuple[]> {
  const after = Math.max(segment.after, wanted.after);
  const upTo = Math.min(segment.upTo, wanted.before - 1);
  if (after >= upTo) return [];
  const parameters: (string | number)[] = [segment.logKey, after, upTo];
  let filter = "";
  if (wanted.types.length > 0) {
    filter += ` and type in (${wanted.types.map(() => "?").join(", ")})`;
    parameters.push(...wanted.types);
  }
  if (wanted.id !== undefined) {
    filter += " and event_id = ?";
    parameters.push(wanted.id);
  }
  if (wanted.runId !== undefined) {
    filter += " and run_id = ?";
    parameters.push(wanted.runId);
  }
  const order = wanted.newest ? "desc" : "asc";
  const text = `select ${eventColumns(wanted.body)} from events
    where log_key = ? and sequence > ? and sequence <= ?${filter} order by sequence ${order} limit ?`;
  parameters.push(wanted.limit - wanted.taken + 1);
  let bytes = wanted.bytes;
  let count = wanted.taken;
  const last = (tuple: EventTuple): boolean => {
    bytes += tuple[9]?.length ?? 0;
    return bytes > wanted.maxBytes && count++ > 0;
  };
  const bounds = {
    body: wanted.body,
    direction: order,
    budgetBytes: wanted.maxBytes - wanted.bytes,
  } as const;
  const bounded = scope.dialect.bounded(scope.dialect.placeholders(text), bounds);
  const statement = { sql: bounded, parameters, shape: "arrays", last } as const;
  return (yield statement) as readonly EventTuple[];
}
