/** The row of a session, without its log. */

import type { SessionPatch } from "../../model/index.ts";
import { query, type Scope, sql, type Transaction, type Work } from "../engine/index.ts";
import type { SessionTable } from "../schema/index.ts";
import { mergedMetadata } from "./json-fields.ts";
import { assertText, invalid, notFound } from "./refusals.ts";

export function* findSession(scope: Scope, sessionId: string): Work<SessionTable | undefined> {
  const rows = yield* query(
    scope.db
      .selectFrom("sessions")
      .selectAll()
      .where("workspace_id", "=", scope.workspaceId)
      .where("session_id", "=", sessionId),
  );
  return rows[0];
}

/** The row alone; the log of the append is locked. Errors: `not_found`, `invalid`. */
export function* patchSession(
  tx: Transaction,
  sessionId: string,
  patch: SessionPatch,
  now: number,
): Work<void> {
  if (typeof patch !== "object" || patch === null) throw invalid("The patch of a session is no object.");
  const text = `select metadata from sessions where workspace_id = ? and session_id = ?${tx.dialect.forUpdate}`;
  const [row] = yield* sql<SessionTable>(tx, text, tx.workspaceId, sessionId);
  if (row === undefined) throw notFound("session", sessionId);
  const changes: { -readonly [Key in keyof SessionTable]?: SessionTable[Key] } = { updated_at: now };
  for (const key of ["status", "title", "agent", "cwd"] as const) {
    const value = patch[key];
    if (value === undefined) continue;
    if (value !== null) assertText(key, value);
    else if (key === "status") throw invalid("A session always has a status.");
    Object.assign(changes, { [key]: value });
  }
  if (patch.metadata !== undefined) changes.metadata = mergedMetadata(row.metadata, patch.metadata);
  yield* query(
    tx.db
      .updateTable("sessions")
      .set(changes)
      .where("workspace_id", "=", tx.workspaceId)
      .where("session_id", "=", sessionId),
  );
}
