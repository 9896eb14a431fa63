/** How logs go: at once, or when the last fork that reads them does. Tombstones stay. */

import { type Scope, sql, type Transaction, type Work } from "../engine/index.ts";
import { hasForks, LOG_COLUMNS, type LogRow, nowAndMark } from "./log-rows.ts";

/** With its cursors and, where it is a session's, the session and its runs. The row is locked. */
export function* removeLog(tx: Transaction, row: LogRow, reason: string): Work<void> {
  if (row.deleted_at === null) yield* leaveTombstone(tx, row, reason);
  tx.changed.add(row.log_key);
  for (const table of ["producers", "snapshots"]) {
    yield* sql(tx, `delete from ${table} where log_key = ?`, row.log_key);
  }
  const cursors = "delete from cursors where workspace_id = ? and log_id = ?";
  yield* sql(tx, cursors, tx.workspaceId, row.log_id);
  for (const table of ["runs", "sessions"]) {
    const text = `delete from ${table} where workspace_id = ? and session_id = ?`;
    yield* sql(tx, text, tx.workspaceId, row.log_id);
  }
  if (yield* hasForks(tx, row.log_key)) {
    yield* sql(tx, "update logs set deleted_at = ? where log_key = ?", row.now, row.log_key);
    return;
  }
  for (const table of ["blob_references", "events", "logs"]) {
    yield* sql(tx, `delete from ${table} where log_key = ?`, row.log_key);
  }
  if (row.parent_key !== null) yield* removeUnread(tx, row.parent_key);
}

/** A hidden or expired log that nothing reads any more goes too. */
function* removeUnread(tx: Transaction, logKey: number): Work<void> {
  const text = `select ${LOG_COLUMNS}, ${nowAndMark(tx.dialect)} from logs where log_key = ?${tx.dialect.forUpdate}`;
  const [row] = yield* sql<LogRow>(tx, text, logKey);
  if (row === undefined) return;
  const isDead = row.deleted_at !== null || (row.expires_at !== null && row.expires_at <= row.now);
  if (isDead && !(yield* hasForks(tx, row.log_key))) yield* removeLog(tx, row, "expired");
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

/** Ids of logs of the workspace that expired, a few at a time. */
export function* expiredLogs(scope: Scope, limit: number): Work<readonly string[]> {
  const rows = yield* sql<{ readonly log_id: string }>(
    scope,
    `select log_id from logs where workspace_id = ? and deleted_at is null
       and expires_at is not null and expires_at <= ${scope.dialect.nowMs} order by expires_at limit ?`,
    scope.workspaceId,
    limit,
  );
  return rows.map((row) => row.log_id);
}
