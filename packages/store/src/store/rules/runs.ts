/** Runs: rows that move along `RUN_TRANSITIONS`, each step together with an event of the session's log. */

import {
  type NewRun,
  type Page,
  RUN_EVENTS,
  type Run,
  type RunPatch,
  type RunStatus,
} from "@continuo/core/model";
import { query, type Scope, sql, type Transaction, type Work } from "../engine/index.ts";
import { append } from "./append.ts";
import { RUN_COLUMNS } from "./columns.ts";
import { prepareEvents } from "./events.ts";
import { jsonOf } from "./json-fields.ts";
import { openLog } from "./log-rows.ts";
import { type PageRequest, pageOf, textsOf } from "./pages.ts";
import { assertName, assertText, invalid, isoOf, notFound } from "./refusals.ts";
import { findRun, type RunRow, selectRun } from "./run-rows.ts";
import { findSession } from "./session-rows.ts";

export function* createRun(tx: Transaction, sessionId: string, given: NewRun): Work<Run> {
  assertName("sessionId", sessionId);
  const run = { ...given, runId: given.runId ?? tx.newId() };
  const { runId, input, agent, metadata } = run;
  const data = JSON.parse(JSON.stringify({ runId, input, agent, metadata })) as unknown;
  const events = prepareEvents(tx, [{ type: RUN_EVENTS.pending, data, runId }]);
  if ((yield* findSession(tx, sessionId)) === undefined) throw notFound("session", sessionId);
  yield* append(tx, sessionId, events, { also: [{ type: "new_run", run }] });
  return toRun(yield* findRun(tx, runId));
}

export function* getRun(scope: Scope, runId: string): Work<Run | null> {
  assertName("runId", runId);
  const row = yield* selectRun(scope, runId, "");
  return row === undefined ? null : toRun(row);
}

export interface Transition {
  readonly to: RunStatus;
  readonly patch: RunPatch;
  readonly lease?: { readonly name: string; readonly token: number };
}

/** The row and the event that tells of it, together. */
export function* transitionRun(tx: Transaction, runId: string, { to, patch, lease }: Transition): Work<Run> {
  assertName("runId", runId);
  const run = yield* findRun(tx, runId);
  if (!Object.hasOwn(RUN_EVENTS, to)) throw invalid(`there is no status ${String(to)} of a run`);
  const { owner, result, error } = patch;
  const data = JSON.parse(JSON.stringify({ runId, owner, result, error })) as unknown;
  const events = prepareEvents(tx, [{ type: RUN_EVENTS[to], data, runId }]);
  const also = [{ type: "run", runId, to, patch }] as const;
  yield* append(tx, run.session_id, events, { also, ...(lease === undefined ? {} : { lease }) });
  return toRun(yield* findRun(tx, runId));
}

export interface ListRuns extends PageRequest {
  readonly sessionId?: string;
  readonly status?: RunStatus | readonly RunStatus[];
  readonly owner?: string;
}

/** The queue asks for this with every run: the texts are few, and stay prepared. */
export function* listRuns(scope: Scope, options: ListRuns): Work<Page<Run>> {
  const conditions: string[] = ["workspace_id = ?"];
  const values: (string | number)[] = [scope.workspaceId];
  if (options.sessionId !== undefined) {
    assertText("sessionId", options.sessionId);
    conditions.push("session_id = ?");
    values.push(options.sessionId);
  }
  if (options.owner !== undefined) {
    assertText("owner", options.owner);
    conditions.push("owner = ?");
    values.push(options.owner);
  }
  const statuses = textsOf("status", options.status);
  if (statuses !== undefined) {
    conditions.push(statuses.length === 0 ? "1 = 0" : `status in (${statuses.map(() => "?").join(", ")})`);
    values.push(...statuses);
  }
  return yield* pageOf(options, {
    fetch: (after, limit) => {
      const later = after === undefined ? [] : [Number(after[0])];
      const where = [...conditions, ...later.map(() => "run_key > ?")].join(" and ");
      const text = `select ${RUN_COLUMNS.join(", ")} from runs where ${where} order by run_key limit ?`;
      return sql<RunRow>(scope, text, ...values, ...later, limit);
    },
    keyOf: (row) => [row.run_key],
    toItem: toRun,
  });
}

export interface RunClaim {
  readonly owner: string;
  readonly sessionId?: string;
  readonly agents?: readonly string[];
}

/** Candidates are looked for without a lock, and looked at again under the lock of their session's log. */
export function* claimNextRun(tx: Transaction, claim: RunClaim): Work<Run | null> {
  assertName("owner of a run", claim.owner);
  for (;;) {
    const [clock] = yield* sql<{ readonly now: number }>(tx, `select ${tx.dialect.nowMs} as now`);
    const now = clock?.now ?? 0;
    const [candidate] = yield* query(candidates(tx, claim, now));
    if (candidate === undefined) return null;
    yield* openLog(tx, candidate.session_id, "change");
    const [still] = yield* query(candidates(tx, { ...claim, sessionId: candidate.session_id }, now));
    if (still === undefined) continue;
    return yield* transitionRun(tx, still.run_id, { to: "running", patch: { owner: claim.owner } });
  }
}

/** Not those of sessions that expired: they go with their session. */
function candidates(scope: Scope, claim: RunClaim, now: number) {
  let rows = scope.db
    .selectFrom("runs as r")
    .select(["run_id", "session_id"])
    .where("workspace_id", "=", scope.workspaceId)
    .where("status", "=", "pending")
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom("runs as other")
            .select("other.run_key")
            .where("other.workspace_id", "=", scope.workspaceId)
            .whereRef("other.session_id", "=", "r.session_id")
            .where((o) =>
              o.or([
                o("other.status", "=", "running"),
                o.and([o("other.status", "=", "pending"), o("other.run_key", "<", o.ref("r.run_key"))]),
              ]),
            ),
        ),
      ),
    );
  rows = rows.where((e) =>
    e.not(
      e.exists(
        e
          .selectFrom("logs")
          .select("log_key")
          .where("logs.workspace_id", "=", scope.workspaceId)
          .whereRef("logs.log_id", "=", "r.session_id")
          .where("logs.expires_at", "<=", now),
      ),
    ),
  );
  if (claim.sessionId !== undefined) rows = rows.where("session_id", "=", claim.sessionId);
  if (claim.agents !== undefined) rows = rows.where("agent", "in", [...claim.agents, ""]);
  return rows.orderBy("run_key").limit(1);
}

function toRun(row: RunRow): Run {
  return {
    runId: row.run_id,
    sessionId: row.session_id,
    status: row.status as RunStatus,
    agent: row.agent,
    owner: row.owner,
    input: jsonOf(row.input),
    result: jsonOf(row.result),
    error: jsonOf(row.error),
    metadata: JSON.parse(row.metadata) as Record<string, unknown>,
    createdAt: isoOf(row.created_at),
    startedAt: row.started_at === null ? null : isoOf(row.started_at),
    endedAt: row.ended_at === null ? null : isoOf(row.ended_at),
  };
}
