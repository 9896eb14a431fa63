/**
 * Removal of logs: immediately, or together with the last fork that reads them. A log of many events is hidden
 * immediately, and its events are removed page by page. Tombstones stay.
 */

import { noteChanged, type Scope, sql, type Transaction, type Work } from "../engine/index.ts";
import { findLog, hasForks, LOG_COLUMNS, type LogRow, nowAndMark } from "./log-rows.ts";

/** Events that one transaction removes. */
const REMOVED_EVENTS = 500;

/**
 * `whole` removes all events in this transaction, so that the id is free. `hidden` leaves the events of a long log to
 * `removeHidden`.
 */
export type Removal = "whole" | "hidden";

/**
 * Removes the log with its cursors and, if it is the log of a session, the session and its runs. The row must be
 * locked.
 */
export function* removeLog(tx: Transaction, row: LogRow, reason: string, removal: Removal): Work<void> {
  if (row.deleted_at === null) yield* leaveTombstone(tx, row, reason);
  noteChanged(tx, row.log_key);
  for (const table of ["producers", "snapshots"]) {
    yield* sql(tx, `delete from ${table} where log_key = ?`, row.log_key);
  }
  const cursors = "delete from cursors where workspace_id = ? and log_id = ?";
  yield* sql(tx, cursors, tx.workspaceId, row.log_id);
  for (const table of ["runs", "sessions"]) {
    const text = `delete from ${table} where workspace_id = ? and session_id = ?`;
    yield* sql(tx, text, tx.workspaceId, row.log_id);
  }
  const isRead = yield* hasForks(tx, row.log_key);
  if (isRead || (removal === "hidden" && row.head_sequence > REMOVED_EVENTS)) {
    // A hidden log that no fork reads expires now, so that `expiredLogs` finds it.
    const text = "update logs set deleted_at = ?, expires_at = ? where log_key = ?";
    yield* sql(tx, text, row.now, isRead ? row.expires_at : row.now, row.log_key);
    return;
  }
  for (const table of ["blob_references", "events", "logs"]) {
    yield* sql(tx, `delete from ${table} where log_key = ?`, row.log_key);
  }
  if (row.parent_key !== null) yield* removeUnread(tx, row.parent_key, removal);
}

/** Also removes a hidden or expired log that no fork reads any more. */
function* removeUnread(tx: Transaction, logKey: number, removal: Removal): Work<void> {
  const text = `select ${LOG_COLUMNS}, ${nowAndMark(tx.dialect)} from logs where log_key = ?${tx.dialect.forUpdate}`;
  const [row] = yield* sql<LogRow>(tx, text, logKey);
  if (row === undefined) return;
  const isDead = row.deleted_at !== null || (row.expires_at !== null && row.expires_at <= row.now);
  if (isDead && !(yield* hasForks(tx, row.log_key))) yield* removeLog(tx, row, "expired", removal);
}

/**
 * Removes the next events of a hidden log that no fork reads, and finally its row. Returns `more` if a part of the log
 * is left.
 */
export function* removeHidden(tx: Transaction, logId: string): Work<"more" | "gone"> {
  const row = yield* findLog(tx, logId, "change");
  if (row === undefined || row.deleted_at === null || (yield* hasForks(tx, row.log_key))) return "gone";
  const [first] = yield* sql<{ readonly sequence: number }>(
    tx,
    "select sequence from events where log_key = ? order by sequence limit 1",
    row.log_key,
  );
  if (first !== undefined) {
    for (const table of ["blob_references", "events"]) {
      const text = `delete from ${table} where log_key = ? and sequence < ?`;
      yield* sql(tx, text, row.log_key, first.sequence + REMOVED_EVENTS);
    }
    return "more";
  }
  for (const table of ["blob_references", "logs"]) {
    yield* sql(tx, `delete from ${table} where log_key = ?`, row.log_key);
  }
  if (row.parent_key !== null) yield* removeUnread(tx, row.parent_key, "hidden");
  return "gone";
}

function* leaveTombstone(tx: Transaction, row: LogRow, reason: string): Work<void> {
  yield* sql(
    tx,
    `insert into deleted_logs (workspace_id, log_id, deleted_at, reason, head_sequence, head_hash)
     values (?, ?, ?, ?, ?, ?)`,
    tx.workspaceId,
    row.log_id,
    row.now,
    reason,
    row.head_sequence,
    row.head_hash,
  );
}

export interface ExpiredLog {
  readonly logId: string;
  /** A `hidden` log is already removed, except for the rest of its events. */
  readonly state: "expired" | "hidden";
}

/**
 * Returns logs of the workspace that expired, at most `limit`. Because of the expression with the workspace, SQLite
 * cannot use the index of the workspace, with which it would examine every log; so it uses the index of the time.
 */
export function* expiredLogs(scope: Scope, limit: number): Work<readonly ExpiredLog[]> {
  const rows = yield* sql<{ readonly log_id: string; readonly deleted_at: number | null }>(
    scope,
    `select log_id, deleted_at from logs l where workspace_id || '' = ?
       and expires_at is not null and expires_at <= ${scope.dialect.nowMs}
       and (deleted_at is null or not exists (select 1 from logs f where f.parent_key = l.log_key))
     order by expires_at limit ?`,
    scope.workspaceId,
    limit,
  );
  return rows.map((row) => ({
    logId: row.log_id,
    state: row.deleted_at === null ? "expired" : "hidden",
  }));
}
