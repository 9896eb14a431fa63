/** Sessions: a row beside the log of the same id, changed together with an event of that log. */

import type { NewSession, Page, Session, SessionPatch } from "../../model/index.ts";
import { query, type Scope, sql, type Transaction, type Work } from "../engine/index.ts";
import type { Schema, SessionTable } from "../schema/index.ts";
import { append } from "./append.ts";
import { prepareEvents } from "./events.ts";
import { metadataText } from "./json-fields.ts";
import { createLog, deleteLog } from "./logs.ts";
import { type PageRequest, pageOf, prefixEnd } from "./pages.ts";
import { assertName, assertText, conflict, isoOf, notFound } from "./refusals.ts";
import { findSession } from "./session-rows.ts";

export function* createSession(tx: Transaction, options: NewSession): Work<Session> {
  const sessionId = options.sessionId ?? tx.newId();
  assertName("sessionId", sessionId);
  if ((yield* findSession(tx, sessionId)) !== undefined) throw sessionExists(sessionId);
  const { title, agent, cwd, metadata } = options;
  const data = JSON.parse(JSON.stringify({ title, agent, cwd, metadata })) as Record<string, unknown>;
  const events = prepareEvents(tx, [{ type: "session_created", data }]);
  const log = yield* createLog(tx, { logId: sessionId }, events);
  if (!log.created) throw sessionExists(sessionId);
  const now = Date.parse(log.createdAt);
  const row = rowOf(tx, sessionId, options, now);
  yield* query(tx.db.insertInto("sessions").values(row));
  return toSession(row);
}

function sessionExists(sessionId: string): Error {
  return conflict(`There is a session or a log ${sessionId} already.`, { sessionId });
}

function rowOf(tx: Transaction, sessionId: string, options: NewSession, now: number): SessionTable {
  for (const key of ["title", "agent", "cwd", "parentId", "status"] as const) {
    if (options[key] !== undefined) assertText(key, options[key]);
  }
  return {
    workspace_id: tx.workspaceId,
    session_id: sessionId,
    status: options.status ?? "open",
    title: options.title ?? null,
    agent: options.agent ?? null,
    cwd: options.cwd ?? null,
    parent_id: options.parentId ?? null,
    metadata: metadataText(options.metadata),
    created_at: now,
    updated_at: now,
  };
}

export function* getSession(scope: Scope, sessionId: string): Work<Session | null> {
  assertName("sessionId", sessionId);
  const row = yield* findSession(scope, sessionId);
  return row === undefined ? null : toSession(row);
}

/** The row and the event that tells of it, together. */
export function* updateSession(tx: Transaction, sessionId: string, patch: SessionPatch): Work<Session> {
  if ((yield* getSession(tx, sessionId)) === null) throw notFound("session", sessionId);
  const known = patchOf(patch);
  const events = prepareEvents(tx, [{ type: "session_updated", data: known }]);
  yield* append(tx, sessionId, events, { also: [{ type: "session", patch: known }] });
  const updated = yield* findSession(tx, sessionId);
  if (updated === undefined) throw notFound("session", sessionId);
  return toSession(updated);
}

function patchOf({ status, title, agent, cwd, metadata }: SessionPatch): SessionPatch {
  return JSON.parse(JSON.stringify({ status, title, agent, cwd, metadata })) as SessionPatch;
}

export interface ListSessions extends PageRequest {
  readonly status?: string;
  readonly agent?: string;
  readonly cwd?: string;
  readonly parentId?: string;
  readonly prefix?: string;
}

const FILTERS = { status: "status", agent: "agent", cwd: "cwd", parentId: "parent_id" } as const;

export function* listSessions(scope: Scope, options: ListSessions): Work<Page<Session>> {
  let rows = scope.db.selectFrom("sessions").selectAll().where("workspace_id", "=", scope.workspaceId);
  for (const [option, column] of Object.entries(FILTERS) as [
    keyof typeof FILTERS,
    keyof Schema["sessions"],
  ][]) {
    const value = options[option];
    if (value !== undefined) rows = rows.where(column, "=", value);
  }
  if (options.prefix !== undefined) {
    rows = rows.where("session_id", ">=", options.prefix).where("session_id", "<", prefixEnd(options.prefix));
  }
  return yield* pageOf(options, {
    fetch: (after, limit) => {
      const from =
        after === undefined
          ? rows
          : rows.where((e) =>
              e.or([
                e("updated_at", "<", Number(after[0])),
                e.and([e("updated_at", "=", Number(after[0])), e("session_id", "<", String(after[1]))]),
              ]),
            );
      return query(from.orderBy("updated_at", "desc").orderBy("session_id", "desc").limit(limit));
    },
    keyOf: (row) => [row.updated_at, row.session_id],
    toItem: toSession,
  });
}

export function* deleteSession(tx: Transaction, sessionId: string, reason: string): Work<void> {
  assertName("sessionId", sessionId);
  if ((yield* findSession(tx, sessionId)) === undefined) throw notFound("session", sessionId);
  for (const table of ["runs", "sessions"] as const) {
    const text = `delete from ${table} where workspace_id = ? and session_id = ?`;
    yield* sql(tx, text, tx.workspaceId, sessionId);
  }
  yield* deleteLog(tx, sessionId, reason);
}

function toSession(row: SessionTable): Session {
  return {
    sessionId: row.session_id,
    status: row.status,
    title: row.title,
    agent: row.agent,
    cwd: row.cwd,
    parentId: row.parent_id,
    metadata: JSON.parse(row.metadata) as Record<string, unknown>,
    createdAt: isoOf(row.created_at),
    updatedAt: isoOf(row.updated_at),
  };
}
