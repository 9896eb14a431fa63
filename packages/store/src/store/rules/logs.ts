/** Creates, forks, finds, touches, closes and deletes logs, and lists the deleted ones. */

import {
  CHAIN_START,
  type CreatedLog,
  type DeletedLog,
  EVENTS_MEDIA_TYPE,
  type Log,
  type NewLog,
  type Page,
} from "@continuo/core/model";
import { type PreparedEvent, query, type Scope, sql, type Transaction, type Work } from "../engine/index.ts";
import { appendTo } from "./append.ts";
import { DELETED_LOG_COLUMNS } from "./columns.ts";
import { type ForkSource, materialisePart, openSource } from "./forks.ts";
import { metadataText } from "./json-fields.ts";
import { closeRow, findLog, hasForks, isExpired, type LogRow, openLog, toLog } from "./log-rows.ts";
import { type PageRequest, pageOf } from "./pages.ts";
import {
  assertName,
  assertText,
  assertTime,
  conflict,
  invalid,
  isoOf,
  logGone,
  logNotFound,
} from "./refusals.ts";
import { removeLog } from "./removal.ts";

export type LogRequest = Pick<
  NewLog,
  "logId" | "mediaType" | "ttl" | "expiresAt" | "forkedFrom" | "metadata" | "state"
>;

export function* createLog(
  tx: Transaction,
  request: LogRequest,
  events: readonly PreparedEvent[],
): Work<CreatedLog> {
  const logId = request.logId ?? tx.newId();
  assertRequest(logId, request);
  const old = yield* findLog(tx, logId, "change");
  if (old !== undefined) {
    if (old.deleted_at !== null) throw hiddenId(logId);
    if (!isExpired(old)) return { ...(yield* sameLog(tx, old, request)), created: false };
    if (yield* hasForks(tx, old.log_key)) throw hiddenId(logId);
    yield* removeLog(tx, old, "expired", "whole");
  }
  const source = request.forkedFrom === undefined ? undefined : yield* openSource(tx, request.forkedFrom);
  const settings = settingsOf(request, source);
  const inserted = yield* insertLog(tx, logId, settings, source);
  // Somebody else created the log between this check and the insert, so the check is repeated.
  if (!inserted) return yield* createLog(tx, { ...request, logId }, events);
  const made = (): Work<LogRow> => logAfterCreate(tx, logId);
  if (source !== undefined) yield* materialisePart(tx, yield* made(), source);
  if (events.length > 0) yield* appendTo(tx, yield* made(), events, {});
  if (request.state === "closed") yield* closeRow(tx, yield* made());
  return { ...toLog(yield* made()), created: true };
}

/** The row of a log that was made in this transaction, even if it has expired already. */
export function* logAfterCreate(tx: Transaction, logId: string): Work<LogRow> {
  const row = yield* findLog(tx, logId, "change");
  if (row === undefined) throw logNotFound(logId);
  return row;
}

function hiddenId(logId: string): Error {
  return conflict(
    `the id ${logId} belongs to a deleted log that its forks still read`,
    { logId },
    "Choose another id, or delete the forks first.",
  );
}

function assertRequest(logId: string, request: LogRequest): void {
  assertName("logId", logId);
  if (request.mediaType !== undefined) assertText("mediaType", request.mediaType);
  const { ttl, expiresAt } = request;
  if (ttl !== undefined && expiresAt !== undefined)
    throw invalid("a log can have `ttl` or `expiresAt`, not both");
  if (ttl !== undefined && !(Number.isFinite(ttl) && ttl > 0)) {
    throw invalid("the ttl of a log must be a number of seconds above 0", { ttl });
  }
  if (expiresAt !== undefined) assertTime("expiresAt of a log", expiresAt);
}

interface Settings {
  readonly mediaType: string;
  readonly ttlMs: number | null;
  readonly expiresAt: number | null;
  readonly metadata: string | null;
}

function settingsOf(request: LogRequest, source: ForkSource | undefined): Settings {
  const mediaType = request.mediaType ?? source?.row.media_type ?? EVENTS_MEDIA_TYPE;
  if (source !== undefined && !sameMediaType(mediaType, source.row.media_type)) {
    throw conflict(`a fork must have the media type of its source, ${source.row.media_type}`, {
      mediaType,
      sourceMediaType: source.row.media_type,
    });
  }
  const inherits = source !== undefined && request.ttl === undefined && request.expiresAt === undefined;
  const ttl = request.ttl === undefined ? null : Math.max(1, Math.round(request.ttl * 1000));
  const expires = request.expiresAt === undefined ? null : Date.parse(request.expiresAt);
  const absolute = inherits && source.row.ttl_ms === null ? source.row.expires_at : expires;
  return {
    mediaType: sameMediaType(mediaType, EVENTS_MEDIA_TYPE) ? EVENTS_MEDIA_TYPE : mediaType,
    ttlMs: inherits ? source.row.ttl_ms : ttl,
    expiresAt: absolute,
    metadata: request.metadata === undefined ? null : metadataText(request.metadata),
  };
}

function sameMediaType(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

/**
 * The clock is read once: the clock of Postgres moves within a statement, and the time to live must begin at the
 * creation of the log.
 */
function* insertLog(
  tx: Transaction,
  logId: string,
  settings: Settings,
  source: ForkSource | undefined,
): Work<boolean> {
  const { nowMs, currentMark, onConflict, returning } = tx.dialect;
  const rows = yield* sql(
    tx,
    `insert into logs (workspace_id, log_id, media_type, ttl_ms, expires_at, created_at, changed_at, changed_mark,
       parent_key, parent_log_id, parent_sequence, parent_bytes, head_sequence, head_hash, metadata)
     select ?, ?, ?, ?, coalesce(clock.now + ?, ?), clock.now, clock.now, ${currentMark}, ?, ?, ?, ?, ?, ?, ?
     from (select ${nowMs} as now) as clock where true
     ${onConflict("workspace_id, log_id")} ${returning("log_key")}`,
    tx.workspaceId,
    logId,
    settings.mediaType,
    settings.ttlMs,
    settings.ttlMs,
    settings.expiresAt,
    source?.row.log_key ?? null,
    source?.row.log_id ?? null,
    source?.sequence ?? null,
    source === undefined || source.bytes === 0 ? null : source.bytes,
    source?.sequence ?? 0,
    source?.hash ?? CHAIN_START,
    settings.metadata,
  );
  return rows.length > 0;
}

/** The existing log, if it is the requested one. Errors: `conflict`. */
function* sameLog(tx: Transaction, row: LogRow, request: LogRequest): Work<Log> {
  const log = toLog(row);
  const { forkedFrom } = request;
  const differences: string[] = [];
  if (request.mediaType === undefined ? forkedFrom === undefined : true) {
    const wanted = request.mediaType ?? EVENTS_MEDIA_TYPE;
    if (!sameMediaType(wanted, log.mediaType)) differences.push("mediaType");
  }
  const anyLife = request.ttl !== undefined || request.expiresAt !== undefined || forkedFrom === undefined;
  if (anyLife && request.ttl !== log.ttl) differences.push("ttl");
  if (anyLife && request.ttl === undefined && !sameTime(request.expiresAt, log.expiresAt)) {
    differences.push("expiresAt");
  }
  if ((request.state === "closed") !== (log.closedAt !== undefined)) differences.push("state");
  if (!(yield* isSameFork(tx, request, log))) differences.push("forkedFrom");
  if (differences.length === 0) return log;
  throw conflict(
    `there is already a log ${log.logId} with other settings: ${differences.join(", ")}`,
    { logId: log.logId, differences },
    "Use the same settings, or choose another id.",
  );
}

function sameTime(a: string | undefined, b: string | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && Date.parse(a) === Date.parse(b));
}

function* isSameFork(tx: Transaction, { forkedFrom }: LogRequest, log: Log): Work<boolean> {
  const is = log.forkedFrom;
  if (forkedFrom === undefined || is === undefined) return forkedFrom === is;
  if (forkedFrom.logId !== is.logId || (forkedFrom.bytes ?? 0) !== (is.bytes ?? 0)) return false;
  if (forkedFrom.sequence !== undefined) return forkedFrom.sequence === is.sequence;
  // A fork at the newest event is the same fork only if the source has its newest event at that fork point now.
  const source = yield* findLog(tx, is.logId, "read");
  return source !== undefined && source.head_sequence === is.sequence;
}

export function* getLog(scope: Scope, logId: string): Work<Log | null> {
  assertName("logId", logId);
  const row = yield* findLog(scope, logId, "read");
  if (row === undefined) return null;
  if (row.deleted_at !== null) throw logGone(logId);
  if (!isExpired(row)) return toLog(row);
  if (yield* hasForks(scope, row.log_key)) throw logGone(logId);
  return null;
}

export function* touchLog(tx: Transaction, logId: string): Work<Log> {
  const row = yield* openLog(tx, logId, "change");
  if (row.ttl_ms === null) return toLog(row);
  const expiresAt = row.now + row.ttl_ms;
  yield* sql(tx, "update logs set expires_at = ? where log_key = ?", expiresAt, row.log_key);
  return toLog({ ...row, expires_at: expiresAt });
}

export function* closeLog(tx: Transaction, logId: string): Work<Log> {
  yield* closeRow(tx, yield* openLog(tx, logId, "change"));
  return toLog(yield* openLog(tx, logId, "change"));
}

export function* deleteLog(tx: Transaction, logId: string, reason: string): Work<void> {
  assertText("reason", reason);
  const row = yield* findLog(tx, logId, "change");
  if (row === undefined) throw logNotFound(logId);
  if (row.deleted_at !== null) throw logGone(logId);
  if (isExpired(row)) throw (yield* hasForks(tx, row.log_key)) ? logGone(logId) : logNotFound(logId);
  yield* removeLog(tx, row, reason, "hidden");
}

/** Removes a log that expired; anything else is left as it is. */
export function* removeExpired(tx: Transaction, logId: string): Work<void> {
  const row = yield* findLog(tx, logId, "change");
  if (row === undefined || row.deleted_at !== null || !isExpired(row)) return;
  yield* removeLog(tx, row, "expired", "hidden");
}

interface DeletedRow {
  readonly deletion_key: number;
  readonly log_id: string;
  readonly deleted_at: number;
  readonly reason: string;
  readonly head_sequence: number;
  readonly head_hash: string;
}

export function* listDeletedLogs(
  scope: Scope,
  options: PageRequest & { readonly logId?: string },
): Work<Page<DeletedLog>> {
  let rows = scope.db
    .selectFrom("deleted_logs")
    .select(DELETED_LOG_COLUMNS)
    .where("workspace_id", "=", scope.workspaceId);
  if (options.logId !== undefined) {
    assertText("logId", options.logId);
    rows = rows.where("log_id", "=", options.logId);
  }
  return yield* pageOf(options, {
    fetch: (after, limit) => {
      const from = after === undefined ? rows : rows.where("deletion_key", "<", Number(after[0]));
      return query<DeletedRow>(from.orderBy("deletion_key", "desc").limit(limit));
    },
    keyOf: (row) => [row.deletion_key],
    toItem: (row) => ({
      logId: row.log_id,
      deletedAt: isoOf(row.deleted_at),
      reason: row.reason,
      latestSequence: row.head_sequence,
      chainHash: row.head_hash,
    }),
    rowsAtOnce: scope.dialect.stretch.rows,
  });
}
