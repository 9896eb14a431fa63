/**
 * Reads a session in windows: parts of its log as the feed sends them, from its end or around a place, and the notes
 * before them.
 */

import {
  assertKnownOptions,
  ContinuoError,
  type KnownOptions,
  present,
  type Store,
  type StoredEvent,
} from "@continuo/core/model";
import {
  LIVE_FEED_TYPES,
  type LiveHistory,
  NOTE_EVENT_TYPES,
  type NoteHistory,
  toWireEvent,
} from "@continuo/core/wire";
import { isFields, LIMITS } from "../kit/index.ts";
import { entriesAt, noteEventsOf, noteHistoryAt } from "./note-history.ts";

export interface HistoryQuery {
  /** A request may have at most one of `before`, `after` and `around`. */
  readonly before?: number;
  readonly after?: number;
  /** A sequence, or the id of an event. */
  readonly around?: number | string;
  readonly limit?: number;
  readonly notes?: "all" | "changed" | "none";
}

const QUERY: KnownOptions<HistoryQuery> = {
  before: true,
  after: true,
  around: true,
  limit: true,
  notes: true,
};

/** Errors: `out_of_range` for a sequence that the log does not have, `not_found` for an id, and those of the store. */
export async function readHistory(
  store: Store,
  sessionId: string,
  query: HistoryQuery,
): Promise<LiveHistory> {
  assertKnownOptions("readHistory", query, QUERY);
  const latestSequence = await store.latestSequence(sessionId);
  const run = await readRun({ store, sessionId, latestSequence }, query);
  const { events, from, sequence } = run;
  return {
    sessionId,
    events: events.map(toWireEvent),
    from,
    sequence,
    latestSequence,
    hasOlder: from > 0,
    hasNewer: sequence < latestSequence,
    notes: await notesBefore(store, sessionId, { run, which: query.notes ?? "none" }),
  };
}

/** Reads the events and the evidence of a note. Errors: `not_found`, `out_of_range`, and those of the store. */
export async function readNoteHistory(
  store: Store,
  { sessionId, noteId, at }: { readonly sessionId: string; readonly noteId: string; readonly at?: number },
): Promise<NoteHistory> {
  const latestSequence = await store.latestSequence(sessionId);
  const sequence = at ?? latestSequence;
  assertReached(sequence, latestSequence);
  const history = await noteHistoryAt(store, { sessionId, noteId, sequence });
  if (history !== null) return { sessionId, noteId, ...history };
  throw new ContinuoError("not_found", "there is no such note at this place of the log", {
    hint: "Use the id of a note of the session; the oldest archived notes are forgotten.",
    details: { noteId, sequence },
  });
}

interface Log {
  readonly store: Store;
  readonly sessionId: string;
  readonly latestSequence: number;
}

interface Run {
  readonly events: readonly StoredEvent[];
  /** The sequence before the window, which has everything that the feed sends after it. */
  readonly from: number;
  /** The last sequence of the window. */
  readonly sequence: number;
}

async function readRun(log: Log, query: HistoryQuery): Promise<Run> {
  const { before, after, around, limit = LIMITS.windowEvents } = query;
  const { latestSequence } = log;
  if (around !== undefined) {
    const place = typeof around === "number" ? around : await sequenceOf(log, around);
    assertReached(place, latestSequence);
    const older = await runBefore(log, place + 1, {
      limit: Math.ceil(limit / 2),
      bytes: LIMITS.windowBytes / 2,
    });
    const left = Math.max(1, limit - older.events.length);
    const newer = await runAfter(log, place, { limit: left, bytes: LIMITS.windowBytes / 2 });
    return { events: [...older.events, ...newer.events], from: older.from, sequence: newer.sequence };
  }
  const room = { limit, bytes: LIMITS.windowBytes };
  if (after !== undefined) {
    assertReached(after, latestSequence);
    return runAfter(log, after, room);
  }
  if (before !== undefined) assertReached(before - 1, latestSequence);
  return runBefore(log, before ?? latestSequence + 1, room);
}

interface Room {
  readonly limit: number;
  readonly bytes: number;
}

async function runBefore({ store, sessionId }: Log, before: number, { limit, bytes }: Room): Promise<Run> {
  const place = { before, limit, maxBytes: bytes, order: "newest", types: LIVE_FEED_TYPES } as const;
  const { events, nextAfter } = await store.read(sessionId, place);
  return { events, from: nextAfter === null ? 0 : nextAfter - 1, sequence: before - 1 };
}

async function runAfter(
  { store, sessionId, latestSequence }: Log,
  after: number,
  { limit, bytes }: Room,
): Promise<Run> {
  const place = { after, before: latestSequence + 1, limit, maxBytes: bytes, types: LIVE_FEED_TYPES };
  const { events, nextAfter } = await store.read(sessionId, place);
  return { events, from: after, sequence: nextAfter ?? latestSequence };
}

async function notesBefore(
  store: Store,
  sessionId: string,
  { run, which }: { readonly run: Run; readonly which: HistoryQuery["notes"] },
): Promise<LiveHistory["notes"]> {
  if (which === "none" || run.from === 0) return [];
  const changed = new Set(
    run.events.flatMap(({ type, data }) =>
      NOTE_EVENT_TYPES.includes(type) && isFields(data) ? [data.noteId] : [],
    ),
  );
  if (which === "changed" && changed.size === 0) return [];
  const entries = [...(await entriesAt(store, sessionId, run.from)).values()];
  const wanted = entries.filter(
    ({ noteId, status }) => changed.has(noteId) || (which === "all" && status !== "archived"),
  );
  return noteEventsOf(store, sessionId, wanted);
}

async function sequenceOf({ store, sessionId }: Log, id: string): Promise<number> {
  const { events } = await store.read(sessionId, { id, limit: 1 });
  if (events[0] !== undefined) return events[0].sequence;
  throw new ContinuoError("not_found", "the session has no event of this id", { details: { id } });
}

function assertReached(sequence: number, latestSequence: number): void {
  if (sequence <= latestSequence) return;
  throw new ContinuoError("out_of_range", `the log is at ${latestSequence}, not at ${sequence}`, {
    hint: "Read the end of the log first: the key may belong to another session now.",
    details: { sequence, latestSequence },
  });
}

const KEYS: readonly string[] = ["before", "after", "around", "limit", "notes"];

/** The parameters of a request. Errors: `invalid`. */
export function parseHistoryQuery(given: Readonly<Record<string, readonly string[]>>): HistoryQuery {
  for (const [name, values] of Object.entries(given)) {
    if (!KEYS.includes(name) || values.length > 1)
      throw invalid(`the parameter ${name.slice(0, 40)} is not taken`);
  }
  const [before, after, around] = [given.before?.[0], given.after?.[0], given.around?.[0]];
  if ([before, after, around].filter((one) => one !== undefined).length > 1) {
    throw invalid("before, after and around cannot be given together");
  }
  const [limit, notes] = [given.limit?.[0], given.notes?.[0]];
  if (notes !== undefined && notes !== "all" && notes !== "changed" && notes !== "none") {
    throw invalid('notes must be "all", "changed" or "none"');
  }
  return present({
    before: countIn("before", before, { least: 1 }),
    after: countIn("after", after),
    around: around?.startsWith(PLACE) ? countIn("around", around.slice(PLACE.length)) : around,
    limit: countIn("limit", limit, { least: 1, most: LIMITS.mostWindowEvents }),
    notes,
  });
}

const PLACE = "sequence:";

function countIn(
  name: string,
  text: string | undefined,
  { least = 0, most = Number.MAX_SAFE_INTEGER }: { readonly least?: number; readonly most?: number } = {},
): number | undefined {
  if (text === undefined) return undefined;
  const count = /^\d{1,15}$/u.test(text) ? Number(text) : Number.NaN;
  if (count >= least && count <= most) return count;
  throw invalid(`${name} must be a whole number from ${least}${most < 1e9 ? ` to ${most}` : ""}`);
}

function invalid(message: string): ContinuoError {
  return new ContinuoError("invalid", message, { hint: "See docs/live.md for the windows of a session." });
}
