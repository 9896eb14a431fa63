/** Reads pages of a log across the segments that it was forked from. */

import type { EventPage, ReadOptions, StoredEvent } from "@continuo/core/model";
import { type EventRow, LIMITS, type Scope, type Segment, scanWorkOf, type Work } from "../engine/index.ts";
import { type EventTuple, eventColumns, toStoredEvent, toTuple } from "./events.ts";
import { holdsBytes, type LogRow, lineageOf, openLog } from "./log-rows.ts";
import { assertName, assertSequence, assertText, invalid, logRemoved, tooLarge } from "./refusals.ts";

export type ReadRequest = Omit<ReadOptions, "signal">;

export function* read(scope: Scope, logId: string, request: ReadRequest): Work<EventPage> {
  const wanted = wantedOf(request);
  const log = yield* openLog(scope, logId, "read");
  const { events, more } = yield* readPage(scope, log, wanted);
  const edge = wanted.newest ? events[0] : events.at(-1);
  return { events, nextAfter: more ? (edge?.sequence ?? null) : null };
}

export interface TailRequest {
  readonly logId: string;
  /** The key of the log: a later log with the same id has another key. */
  readonly logKey: number;
  readonly after: number;
  readonly types?: readonly string[];
}

export interface TailPage {
  readonly events: readonly StoredEvent[];
  /** The size of each event's payload. */
  readonly sizes: readonly number[];
  /** Everything up to this sequence was examined. */
  readonly upTo: number;
  readonly more: boolean;
  readonly isClosed: boolean;
}

/** The next page of a tail. Errors: `not_found` if the log was deleted in the meantime, `gone`, `corrupt`. */
export function* readTail(scope: Scope, { logId, logKey, after, types }: TailRequest): Work<TailPage> {
  // The log is read before its events: an event that is appended in between is either in the page or announced later.
  const log = yield* openLog(scope, logId, "read");
  if (log.log_key !== logKey) throw logRemoved(logId);
  const request = { after, limit: LIMITS.tailEvents, maxBytes: LIMITS.tailBytes };
  const wanted = wantedOf(types === undefined ? request : { ...request, types });
  const { events, sizes, more } = yield* readPage(scope, log, wanted);
  const last = events.at(-1)?.sequence ?? after;
  return {
    events,
    sizes,
    upTo: more ? last : Math.max(last, log.head_sequence),
    more,
    isClosed: log.closed_at !== null,
  };
}

/** The same page from rows that were just stored; `null` if they do not follow `after`. */
export function tailOfRows(logId: string, rows: readonly EventRow[], after: number): TailPage | null {
  const tuples = rows.map(toTuple).filter(([sequence]) => sequence > after);
  if (tuples.some(([sequence], index) => sequence !== after + 1 + index)) return null;
  return {
    events: tuples.map((tuple) => toStoredEvent(logId, tuple)),
    sizes: tuples.map(sizeOf),
    upTo: after + tuples.length,
    more: false,
    isClosed: false,
  };
}

/** The part of a page that was read so far. */
interface PageState {
  readonly logId: string;
  readonly events: StoredEvent[];
  readonly sizes: number[];
  bytes: number;
  more: boolean;
}

function* readPage(scope: Scope, log: LogRow, wanted: ReadRange): Work<PageState> {
  const segments = yield* lineageOf(scope, log);
  const { newest } = wanted;
  const body = holdsBytes(log) ? "bytes" : "payload";
  const page: PageState = { logId: log.log_id, events: [], sizes: [], bytes: 0, more: false };
  for (const segment of newest ? [...segments].reverse() : segments) {
    if (page.more) break;
    const upTo = Math.min(segment.upTo, log.head_sequence, wanted.before - 1);
    const after = Math.max(segment.after, wanted.after);
    yield* readSegment(scope, { logKey: segment.logKey, after, upTo }, { ...wanted, body }, page);
  }
  if (newest) page.events.reverse();
  return page;
}

interface ReadRange {
  readonly after: number;
  readonly before: number;
  readonly limit: number;
  readonly maxBytes: number;
  readonly types: readonly string[];
  readonly id: string | undefined;
  readonly runId: string | undefined;
  readonly texts: readonly string[];
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
  const { types = [], texts = [], id, runId } = request;
  for (const type of types) assertName("type", type);
  if (id !== undefined) assertName("id", id);
  if (runId !== undefined) assertName("runId", runId);
  if (texts.length > LIMITS.searchedTexts) throw tooLarge("texts", LIMITS.searchedTexts, texts.length);
  for (const text of texts) assertSearchedText(text);
  return { after, before, limit, maxBytes, types, texts, id, runId, newest: request.order === "newest" };
}

function assertSearchedText(text: string): void {
  assertText("text", text);
  if (text === "") throw invalid("the text that a read looks for must not be empty");
  if (text.length > LIMITS.searchedTextLength)
    throw tooLarge("a text", LIMITS.searchedTextLength, text.length);
}

interface SegmentRead extends ReadRange {
  readonly body: "payload" | "bytes";
}

/** Adds rows to the page in several short statements; a row that no longer fits only ends the page. */
function* readSegment(scope: Scope, segment: Segment, wanted: SegmentRead, page: PageState): Work<void> {
  const { rows, scanned } = scope.dialect.stretch;
  const range = isScan(wanted) ? scanned : Number.MAX_SAFE_INTEGER;
  let { after, upTo } = segment;
  while (after < upTo && !page.more) {
    const stretch = wanted.newest
      ? { ...segment, after: Math.max(after, upTo - range), upTo }
      : { ...segment, after, upTo: Math.min(upTo, after + range) };
    const limit = Math.min(rows, wanted.limit - page.events.length + 1);
    const bytes = Math.min(scope.dialect.stretch.bytes, wanted.maxBytes - page.bytes);
    const found = yield* readStretch(scope, stretch, wanted, {
      limit,
      bytes,
      isFirst: page.events.length === 0,
    });
    const isCut = found.length === limit || found.reduce((sum, tuple) => sum + sizeOf(tuple), 0) > bytes;
    const edge = isCut ? found.at(-1)?.[0] : undefined;
    if (wanted.newest) upTo = edge === undefined ? stretch.after : edge - 1;
    else after = edge ?? stretch.upTo;
    take(page, found, wanted);
  }
}

/** True if the filters have no index, so that every row of a range is examined. */
function isScan({ types, texts, id, runId }: ReadRange): boolean {
  return id === undefined && runId === undefined && types.length + texts.length > 0;
}

function take(page: PageState, found: readonly EventTuple[], { limit, maxBytes }: ReadRange): void {
  for (const tuple of found) {
    const size = sizeOf(tuple);
    if (page.events.length >= limit || (page.events.length > 0 && page.bytes + size > maxBytes)) {
      page.more = true;
      return;
    }
    page.events.push(toStoredEvent(page.logId, tuple));
    page.sizes.push(size);
    page.bytes += size;
  }
}

function sizeOf(tuple: EventTuple): number {
  return tuple[9]?.length ?? 0;
}

interface StretchBudget {
  readonly limit: number;
  readonly bytes: number;
  /** True for the first row of a page, which is returned even if it is too long. */
  readonly isFirst: boolean;
}

function* readStretch(
  scope: Scope,
  { logKey, after, upTo }: Segment,
  wanted: SegmentRead,
  { limit, bytes: budgetBytes, isFirst }: StretchBudget,
): Work<readonly EventTuple[]> {
  const { dialect } = scope;
  const parameters: (string | number)[] = [logKey, after, upTo];
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
  if (wanted.texts.length > 0) {
    filter += ` and (${wanted.texts.map(() => `${dialect.positionIn}(payload, ?) > 0`).join(" or ")})`;
    parameters.push(...wanted.texts);
  }
  const order = wanted.newest ? "desc" : "asc";
  const text = `select ${eventColumns(wanted.body)} from events
    where log_key = ? and sequence > ? and sequence <= ?${filter} order by sequence ${order} limit ?`;
  parameters.push(limit);
  let bytes = 0;
  let count = isFirst ? 0 : 1;
  const last = (tuple: EventTuple): boolean => {
    bytes += sizeOf(tuple);
    return bytes > budgetBytes && count++ > 0;
  };
  const scanWork = scanWorkOf(dialect, isScan(wanted) ? upTo - after : 0);
  const workOf = (rows: readonly unknown[]): number => scanWork(rows) + bytes / LIMITS.bytesPerWork;
  const sql = dialect.bounded(dialect.placeholders(text), {
    body: wanted.body,
    direction: order,
    budgetBytes,
  });
  return (yield { sql, parameters, shape: "arrays", last, workOf }) as readonly EventTuple[];
}
