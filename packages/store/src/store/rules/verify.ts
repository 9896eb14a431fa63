/** Verification computes every hash of a log again, page by page, and finds rows whose log or session is missing. */

import {
  CHAIN_START,
  canonicalJson,
  chainHash,
  payloadHash,
  type StoredEvent,
  type VerifyResult,
} from "@continuo/core/model";
import { type Scope, sql, type Work } from "../engine/index.ts";
import { type EventTuple, eventColumns, mediaTimeOf, toStoredEvent } from "./events.ts";
import { holdsBytes, type LogRow, lineageOf, openLog } from "./log-rows.ts";

/** The state of a verification after the events that were checked so far. */
export interface Verification {
  readonly sequence: number;
  /**
   * The end of the log when the verification began, so that a writer that never pauses cannot prolong it without end.
   */
  readonly upTo: number;
  readonly chain: string;
  readonly checkedCount: number;
  readonly prunedCount: number;
}

export const BEGIN: Verification = {
  sequence: 0,
  upTo: Number.MAX_SAFE_INTEGER,
  chain: CHAIN_START,
  checkedCount: 0,
  prunedCount: 0,
};

/** The largest number of events and of bytes that are hashed in one turn of the event loop. */
const PAGE_EVENTS = 128;
const PAGE_BYTES = 1024 * 1024;

/** Verifies one more page; returns the state so far, or the result. */
export function* verifyPage(
  scope: Scope,
  logId: string,
  so: Verification,
): Work<Verification | VerifyResult> {
  const log = yield* openLog(scope, logId, "read");
  const end = Math.min(so.upTo, log.head_sequence);
  const segment = (yield* lineageOf(scope, log)).find(({ upTo }) => so.sequence < upTo);
  const tuples =
    segment === undefined
      ? []
      : yield* page(scope, log, segment.logKey, so.sequence, Math.min(segment.upTo, end));
  const mediaTimes =
    segment === undefined ? new Map() : yield* mediaTimesOf(scope, segment.logKey, so.sequence, tuples);
  let state: Verification = { ...so, upTo: end };
  for (const tuple of tuples) {
    const mediaTime = mediaTimes.get(tuple[0]) ?? null;
    const problem = problemOf(scope, logId, tuple, { state, mediaTime });
    if (problem !== undefined) return failed(state, state.sequence + 1, problem);
    const pruned =
      tuple[12]?.includes('"pruned"') === true && toStoredEvent(logId, tuple).pruned !== undefined;
    state = {
      sequence: tuple[0],
      upTo: end,
      chain: tuple[11],
      checkedCount: state.checkedCount + 1,
      prunedCount: state.prunedCount + (pruned ? 1 : 0),
    };
  }
  if (tuples.length > 0) return state;
  return atEnd(log, state);
}

/** The head in the row of the log shows whether events are missing at the end. */
function atEnd(log: LogRow, state: Verification): VerifyResult {
  if (state.sequence < state.upTo) {
    return failed(state, state.sequence + 1, `The log reaches ${state.upTo}, but the event is missing.`);
  }
  if (state.sequence === log.head_sequence && state.chain !== log.head_hash) {
    return failed(state, state.sequence, "The log's head has another chain hash.");
  }
  return { ok: true, checkedCount: state.checkedCount, prunedCount: state.prunedCount };
}

function failed(state: Verification, sequence: number, reason: string): VerifyResult {
  const { checkedCount, prunedCount } = state;
  return { ok: false, checkedCount, prunedCount, firstBadSequence: sequence, reason };
}

export interface Orphan {
  readonly logId: string;
  readonly reason: string;
}

const ORPHAN_PAGE = 500;

interface SessionLogCheck {
  readonly session_id: string;
  readonly has_log: number | boolean;
}

interface RunSessionCheck {
  readonly session_id: string;
  readonly run_id: string;
  readonly has_session: number | boolean;
}

/** Rows whose log or session is missing. */
export function* findOrphans(scope: Scope): Work<readonly Orphan[]> {
  const orphans: Orphan[] = [];
  for (let after: string | undefined = ""; after !== undefined; ) {
    const rows: readonly SessionLogCheck[] = yield* sql<SessionLogCheck>(
      scope,
      `select session_id, exists
         (select 1 from logs l where l.workspace_id = s.workspace_id and l.log_id = s.session_id) as has_log
       from sessions s where workspace_id = ? and session_id > ? order by session_id limit ?`,
      scope.workspaceId,
      after,
      ORPHAN_PAGE,
    );
    for (const { session_id: logId, has_log: hasLog } of rows)
      if (!hasLog) orphans.push({ logId, reason: "The session has no log." });
    after = rows.length < ORPHAN_PAGE ? undefined : rows.at(-1)?.session_id;
  }
  for (let after: string | undefined = ""; after !== undefined; ) {
    const rows: readonly RunSessionCheck[] = yield* sql<RunSessionCheck>(
      scope,
      `select session_id, run_id, exists
         (select 1 from sessions s where s.workspace_id = r.workspace_id and s.session_id = r.session_id)
         as has_session
       from runs r where workspace_id = ? and run_id > ? order by run_id limit ?`,
      scope.workspaceId,
      after,
      ORPHAN_PAGE,
    );
    for (const { session_id: logId, run_id: runId, has_session: hasSession } of rows)
      if (!hasSession) orphans.push({ logId, reason: `The run ${runId} has no session.` });
    after = rows.length < ORPHAN_PAGE ? undefined : rows.at(-1)?.run_id;
  }
  return orphans;
}

function* page(
  scope: Scope,
  log: LogRow,
  logKey: number,
  after: number,
  upTo: number,
): Work<readonly EventTuple[]> {
  const body = holdsBytes(log) ? "bytes" : "payload";
  const text = `select ${eventColumns(body)} from events
    where log_key = ? and sequence > ? and sequence <= ? order by sequence limit ?`;
  let bytes = 0;
  const last = (tuple: EventTuple): boolean => {
    bytes += tuple[9]?.length ?? 0;
    return bytes > PAGE_BYTES;
  };
  const parameters = [logKey, after, upTo, PAGE_EVENTS];
  const bounds = { body, direction: "asc", budgetBytes: PAGE_BYTES } as const;
  const bounded = scope.dialect.bounded(scope.dialect.placeholders(text), bounds);
  return (yield { sql: bounded, parameters, shape: "arrays", last }) as readonly EventTuple[];
}

/** The media times are not in the hash chain, so they are compared with the payloads. */
function* mediaTimesOf(
  scope: Scope,
  logKey: number,
  after: number,
  tuples: readonly EventTuple[],
): Work<ReadonlyMap<number, number>> {
  const rows = yield* sql<{ readonly sequence: number; readonly media_time_ms: number }>(
    scope,
    `select sequence, media_time_ms from events
     where log_key = ? and sequence > ? and sequence <= ? and media_time_ms is not null`,
    logKey,
    after,
    tuples.at(-1)?.[0] ?? after,
  );
  return new Map(rows.map((row) => [row.sequence, row.media_time_ms]));
}

interface ExpectedState {
  readonly state: Verification;
  readonly mediaTime: number | null;
}

function problemOf(
  scope: Scope,
  logId: string,
  tuple: EventTuple,
  { state: so, mediaTime }: ExpectedState,
): string | undefined {
  if (tuple[0] !== so.sequence + 1) return "The event is missing.";
  let event: StoredEvent;
  try {
    event = toStoredEvent(logId, tuple);
  } catch (error) {
    return error instanceof Error ? error.message : "The event cannot be read.";
  }
  const hasBody = tuple[9] !== null;
  if (event.pruned !== undefined && hasBody) return "The event is a tombstone, but has a payload.";
  if (event.pruned === undefined) {
    if (!hasBody) return "The payload is missing.";
    const hashed = event.data instanceof Uint8Array ? event.data : canonicalJson(event.data);
    if (payloadHash(scope.sha256, hashed, event.salt) !== event.payloadHash) {
      return "The payload is not what was stored: its hash differs.";
    }
    if (mediaTimeOf(event.data) !== mediaTime) return "The media time is not the one of the payload.";
  }
  if (chainHash(scope.sha256, so.chain, event) !== event.chainHash) {
    return "The event is not what was stored: its chain hash differs.";
  }
  return undefined;
}
