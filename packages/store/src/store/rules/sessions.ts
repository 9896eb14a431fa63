/** Sessions: a row next to the log of the same id, changed together with an event of that log. */

import {
  assertKnownOptions,
  EVENTS_MEDIA_TYPE,
  type KnownOptions,
  type ListSessionsOptions,
  type NewSession,
  type Page,
  present,
  type Session,
  type SessionPatch,
} from "@continuo/core/model";
import { query, type Scope, sql, type Transaction, type Work } from "../engine/index.ts";
import type { SessionTable } from "../schema/index.ts";
import { append, appendTo } from "./append.ts";
import { SESSION_COLUMNS } from "./columns.ts";
import { prepareEvents } from "./events.ts";
import { metadataText } from "./json-fields.ts";
import { lifeOf } from "./log-rows.ts";
import { createLog, deleteLog, logAfterCreate } from "./logs.ts";
import { pageOf, prefixEnd, textsOf } from "./pages.ts";
import { assertName, assertText, assertTime, conflict, invalid, isoOf, notFound } from "./refusals.ts";
import { ACTIVITY_LAG_MS, findSession, type JoinedSession, LOG_PART } from "./session-rows.ts";

export function* createSession(tx: Transaction, options: NewSession): Work<Session> {
  const sessionId = options.sessionId ?? tx.newId();
  assertName("sessionId", sessionId);
  if ((yield* findSession(tx, sessionId)) !== undefined) throw sessionExists(sessionId);
  const { ttl, expiresAt, forkedFrom } = options;
  const source = forkedFrom === undefined ? undefined : yield* findSession(tx, forkedFrom.logId);
  const given = { ...inheritedFrom(source), ...definedOf(options) };
  const log = yield* createLog(tx, present({ logId: sessionId, ttl, expiresAt, forkedFrom }), []);
  if (!log.created) throw sessionExists(sessionId);
  if (log.mediaType !== EVENTS_MEDIA_TYPE) throw invalid("a session cannot be forked from a log of bytes");
  const { title, agent, cwd, metadata } = given;
  const data = { title, agent, cwd, metadata, forkedFrom: log.forkedFrom };
  const first = { type: "session_created", data: JSON.parse(JSON.stringify(data)) as unknown };
  yield* query(tx.db.insertInto("sessions").values(rowOf(tx, sessionId, given, Date.parse(log.createdAt))));
  const also = (options.claims ?? []).map((claim) => ({ type: "claim", ...claim }) as const);
  yield* appendTo(tx, yield* logAfterCreate(tx, sessionId), prepareEvents(tx, [first]), { also });
  const made = yield* findSession(tx, sessionId);
  if (made === undefined) throw invalid("cannot create a session that has already expired", { sessionId });
  return toSession(made);
}

function sessionExists(sessionId: string): Error {
  return conflict(`there is already a session or a log ${sessionId}`, { sessionId });
}

type RowFields = Pick<NewSession, "title" | "agent" | "cwd" | "parentId" | "status" | "metadata">;

/** The metadata are not copied: native references in them belong to the agents of the source. */
function inheritedFrom(source: JoinedSession | undefined): RowFields {
  if (source === undefined) return {};
  const { title, agent, cwd, session_id: parentId } = source;
  return {
    parentId,
    ...(title === null ? {} : { title }),
    ...(agent === null ? {} : { agent }),
    ...(cwd === null ? {} : { cwd }),
  };
}

function definedOf({ title, agent, cwd, parentId, status, metadata }: NewSession): RowFields {
  const all = { title, agent, cwd, parentId, status, metadata };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined && value !== null));
}

function rowOf(tx: Transaction, sessionId: string, options: RowFields, now: number): SessionTable {
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

/** Changes the row and stores the event about it, together. */
export function* updateSession(tx: Transaction, sessionId: string, patch: SessionPatch): Work<Session> {
  assertKnownOptions("updateSession", patch, PATCH);
  if ((yield* getSession(tx, sessionId)) === null) throw notFound("session", sessionId);
  const known = patchOf(patch);
  const events = prepareEvents(tx, [{ type: "session_updated", data: known }]);
  yield* append(tx, sessionId, events, { also: [{ type: "session", patch: known }] });
  const updated = yield* findSession(tx, sessionId);
  if (updated === undefined) throw notFound("session", sessionId);
  return toSession(updated);
}

const PATCH: KnownOptions<SessionPatch> = {
  status: true,
  title: true,
  agent: true,
  cwd: true,
  metadata: true,
};

function patchOf({ status, title, agent, cwd, metadata }: SessionPatch): SessionPatch {
  return JSON.parse(JSON.stringify({ status, title, agent, cwd, metadata })) as SessionPatch;
}

export type ListSessions = Omit<ListSessionsOptions, "signal">;

const FILTERS = { agent: "agent", cwd: "cwd", parentId: "parent_id" } as const;

export function* listSessions(scope: Scope, options: ListSessions): Work<Page<Session>> {
  const [clock] = yield* sql<{ readonly now: number }>(scope, `select ${scope.dialect.nowMs} as now`);
  let rows = scope.db
    .selectFrom("sessions")
    .innerJoin("logs", (join) =>
      join
        .onRef("logs.workspace_id", "=", "sessions.workspace_id")
        .onRef("logs.log_id", "=", "sessions.session_id"),
    )
    .select(SESSION_COLUMNS.map((column) => `sessions.${column}` as const))
    .select(LOG_PART)
    .select(scope.dialect.expression(scope.dialect.activityOrder).as("activity_order"))
    .where("sessions.workspace_id", "=", scope.workspaceId)
    .where("deleted_at", "is", null)
    .where((e) => e.or([e("expires_at", "is", null), e("expires_at", ">", clock?.now ?? 0)]));
  const statuses = textsOf("status", options.status);
  if (statuses !== undefined) rows = rows.where("status", "in", statuses);
  for (const [option, column] of Object.entries(FILTERS) as [keyof typeof FILTERS, "agent" | "cwd"][]) {
    const value = options[option];
    if (value === undefined) continue;
    assertText(option, value);
    rows = rows.where(column, "=", value);
  }
  if (options.prefix !== undefined) {
    assertText("prefix", options.prefix);
    rows = rows.where("session_id", ">=", options.prefix).where("session_id", "<", prefixEnd(options.prefix));
  }
  // The row has the approximate time, with an index; its log has the exact time.
  if (options.activeAfter !== undefined) {
    assertTime("activeAfter", options.activeAfter);
    const time = Date.parse(options.activeAfter);
    rows = rows.where("changed_at", ">", time).where("updated_at", ">", time - ACTIVITY_LAG_MS);
  }
  if (options.activeBefore !== undefined) {
    assertTime("activeBefore", options.activeBefore);
    rows = rows.where("changed_at", "<=", Date.parse(options.activeBefore));
  }
  const wanted = Object.entries(options.metadata ?? {});
  for (const [key, value] of wanted) {
    assertWanted(key, value);
    // The text of the pair must be in the text of the metadata, at the top or deeper.
    const pair = metadataText({ [key]: value }).slice(1, -1);
    rows = rows.where((e) =>
      e(e.fn("replace", ["sessions.metadata", e.val(pair), e.val("")]), "!=", e.ref("sessions.metadata")),
    );
  }
  return yield* pageOf(options, {
    isWanted: (row) => wanted.length === 0 || hasPairs(row.metadata, wanted),
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

type Pairs = readonly (readonly [key: string, value: unknown])[];

function hasPairs(metadata: string, pairs: Pairs): boolean {
  const found = JSON.parse(metadata) as Readonly<Record<string, unknown>>;
  return pairs.every(([key, value]) => Object.hasOwn(found, key) && found[key] === value);
}

/** Errors: `invalid`. */
function assertWanted(key: string, value: unknown): void {
  if (typeof value === "string" || typeof value === "boolean" || Number.isFinite(value)) return;
  throw invalid(`the metadata ${JSON.stringify(key)} of a filter must be a text, a number, true or false`);
}

/** Deletes the log, and with it the row. */
export function* deleteSession(tx: Transaction, sessionId: string, reason: string): Work<void> {
  assertName("sessionId", sessionId);
  if ((yield* findSession(tx, sessionId)) === undefined) throw notFound("session", sessionId);
  yield* deleteLog(tx, sessionId, reason);
}

function toSession(row: JoinedSession): Session {
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
    lastActivityAt: isoOf(row.changed_at),
    activityOrder: row.activity_order,
    ...lifeOf(row),
  };
}
