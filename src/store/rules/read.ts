/** Reads: pages of a log across the stretches that it was forked from. */

import type { EventPage, ReadOptions, StoredEvent } from "../../model/index.ts";
import { LIMITS, type Scope, type Segment, type Work } from "../engine/index.ts";
import { type EventTuple, eventColumns, toStoredEvent } from "./events.ts";
import { holdsBytes, lineageOf, openLog } from "./log-rows.ts";
import { assertName, assertSequence, invalid } from "./refusals.ts";

export type ReadRequest = Omit<ReadOptions, "signal">;

export function* read(scope: Scope, logId: string, request: ReadRequest): Work<EventPage> {
  const wanted = wantedOf(request);
  const log = yield* openLog(scope, logId, "read");
  const segments = yield* lineageOf(scope, log);
  const newest = request.order === "newest";
  const body = holdsBytes(log) ? "bytes" : "payload";
  const tuples: EventTuple[] = [];
  let bytes = 0;
  let more = false;
  for (const segment of newest ? [...segments].reverse() : segments) {
    if (more) break;
    const found = yield* readSegment(scope, segment, {
      ...wanted,
      body,
      newest,
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
  const events: StoredEvent[] = new Array(tuples.length);
  for (let i = 0; i < tuples.length; i++) events[i] = toStoredEvent(logId, tuples[i] as EventTuple);
  const edge = newest ? events[0] : events.at(-1);
  return { events, nextAfter: more ? (edge?.sequence ?? null) : null };
}

interface Wanted {
  readonly after: number;
  readonly before: number;
  readonly limit: number;
  readonly maxBytes: number;
  readonly types: readonly string[];
  readonly runId: string | undefined;
}

function wantedOf(request: ReadRequest): Wanted {
  const { after = 0, before = Number.MAX_SAFE_INTEGER, limit = 1_000, maxBytes = LIMITS.readBytes } = request;
  assertSequence("after", after);
  assertSequence("before", before);
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > LIMITS.readEvents) {
    throw invalid(`The limit of a read is 1 to ${LIMITS.readEvents}.`, { limit });
  }
  if (!(maxBytes > 0)) throw invalid("maxBytes is a number above 0.", { maxBytes });
  if (request.order !== undefined && request.order !== "oldest" && request.order !== "newest") {
    throw invalid('The order of a read is "oldest" or "newest".');
  }
  for (const type of request.types ?? []) assertName("type", type);
  if (request.runId !== undefined) assertName("runId", request.runId);
  return { after, before, limit, maxBytes, types: request.types ?? [], runId: request.runId };
}

interface SegmentRead extends Wanted {
  readonly body: "payload" | "bytes";
  readonly newest: boolean;
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
