/** The row of a session, without its log. */

import type { SessionPatch } from "@continuo/core/model";
import { type Scope, sql, type Transaction, textOnce, type Work } from "../engine/index.ts";
import type { LogTable, SessionTable } from "../schema/index.ts";
import { SESSION_COLUMNS } from "./columns.ts";
import { mergedMetadata } from "./json-fields.ts";
import { assertText, invalid, notFound } from "./refusals.ts";

/** A session together with the facts from its log. */
export type JoinedSession = SessionTable &
  Pick<
    LogTable,
    "changed_at" | "ttl_ms" | "expires_at" | "parent_log_id" | "parent_sequence" | "parent_bytes"
  > & { readonly activity_order: number };

/** The columns that a row of a session takes from its log. */
export const LOG_PART = [
  "changed_at",
  "ttl_ms",
  "expires_at",
  "parent_log_id",
  "parent_sequence",
  "parent_bytes",
] as const;

/** `undefined` also if its log has expired: the row is removed with the log, which may be later. */
export function* findSession(scope: Scope, sessionId: string): Work<JoinedSession | undefined> {
  const { dialect, workspaceId } = scope;
  const text = textOnce(
    dialect,
    "session",
    () => `select ${SESSION_COLUMNS.map((column) => `s.${column}`).join(", ")}, ${LOG_PART.map((column) => `logs.${column}`).join(", ")},
       ${dialect.activityOrder} as activity_order
     from sessions s
     join logs on logs.workspace_id = s.workspace_id and logs.log_id = s.session_id
     where s.workspace_id = ? and s.session_id = ? and logs.deleted_at is null
       and (logs.expires_at is null or logs.expires_at > ${dialect.nowMs})`,
  );
  return (yield* sql<JoinedSession>(scope, text, workspaceId, sessionId))[0];
}

/** The interval, counted from 1970, in which only the first append writes `updated_at`. */
const ACTIVITY_MS = 60_000;

/**
 * Sets `updated_at` to `now`, if this is the first append in its minute of the clock: the column is in an index, which
 * most appends need not change.
 *
 * @param before the time of the last append to the log, in milliseconds since 1970
 */
export function* noteActivity(tx: Transaction, logId: string, before: number, now: number): Work<void> {
  if (Math.floor(before / ACTIVITY_MS) === Math.floor(now / ACTIVITY_MS)) return;
  const text =
    "update sessions set updated_at = ? where workspace_id = ? and session_id = ? and updated_at < ?";
  yield* sql(tx, text, now, tx.workspaceId, logId, now);
}

/** An upper bound of the time from `updated_at` to the last append, in milliseconds. */
export const ACTIVITY_LAG_MS: number = 2 * ACTIVITY_MS;

/** Changes only the row. The caller must have locked the log. Errors: `not_found`, `invalid`. */
export function* patchSession(
  tx: Transaction,
  sessionId: string,
  patch: SessionPatch,
  now: number,
): Work<void> {
  if (typeof patch !== "object" || patch === null) throw invalid("the patch of a session must be an object");
  const text = `select metadata from sessions where workspace_id = ? and session_id = ?${tx.dialect.forUpdate}`;
  const [row] = yield* sql<SessionTable>(tx, text, tx.workspaceId, sessionId);
  if (row === undefined) throw notFound("session", sessionId);
  const changes: { -readonly [Key in keyof SessionTable]?: SessionTable[Key] } = { updated_at: now };
  for (const key of ["status", "title", "agent", "cwd"] as const) {
    const value = patch[key];
    if (value === undefined) continue;
    if (value !== null) assertText(key, value);
    else if (key === "status") throw invalid("a session must have a status");
    Object.assign(changes, { [key]: value });
  }
  if (patch.metadata !== undefined) changes.metadata = mergedMetadata(row.metadata, patch.metadata);
  const assignments = Object.keys(changes).map((column) => `${column} = ?`);
  yield* sql(
    tx,
    `update sessions set ${assignments.join(", ")} where workspace_id = ? and session_id = ?`,
    ...Object.values(changes),
    tx.workspaceId,
    sessionId,
  );
}
