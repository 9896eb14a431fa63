/** Runs: rows that move along `RUN_TRANSITIONS`, each step together with an event of the session's log. */

import type { EventType, NewRun, Page, Run, RunPatch, RunStatus } from "../../model/index.ts";
import { query, type Scope, sql, type Transaction, type Work } from "../engine/index.ts";
import { append } from "./append.ts";
import { prepareEvents } from "./events.ts";
import { jsonOf } from "./json-fields.ts";
import { openLog } from "./log-rows.ts";
import { type PageRequest, pageOf } from "./pages.ts";
import { assertName, invalid, isoOf, notFound } from "./refusals.ts";
import { findRun, type RunRow, selectRun } from "./run-rows.ts";

const EVENTS: Readonly<Record<RunStatus, EventType>> = {
  pending: "run_created",
  running: "run_started",
  completed: "run_completed",
  failed: "run_failed",
  cancelled: "run_cancelled",
  timeout: "run_timed_out",
  interrupted: "run_interrupted",
};

export function* createRun(tx: Transaction, sessionId: string, given: NewRun): Work<Run> {
  assertName("sessionId", sessionId);
  const run = { ...given, runId: given.runId ?? tx.newId() };
  const { runId, input, agent, metadata } = run;
  const data = JSON.parse(JSON.stringify({ runId, input, agent, metadata })) as unknown;
  const events = prepareEvents(tx, [{ type: EVENTS.pending, data, runId }]);
  const session = "select 1 as found from sessions where workspace_id = ? and session_id = ?";
  if ((yield* sql(tx, session, tx.workspaceId, sessionId)).length === 0) throw notFound("session", sessionId);
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
  if (!Object.hasOwn(EVENTS, to)) throw invalid(`There is no status ${String(to)} of a run.`);
  const { owner, result, error } = patch;
  const data = JSON.parse(JSON.stringify({ runId, owner, result, error })) as unknown;
  const events = prepareEvents(tx, [{ type: EVENTS[to], data, runId }]);
  const also = [{ type: "run", runId, to, patch }] as const;
  yield* append(tx, run.session_id, events, { also, ...(lease === undefined ? {} : { lease }) });
  return toRun(yield* findRun(tx, runId));
}

export interface ListRuns extends PageRequest {
  readonly sessionId?: string;
  readonly status?: RunStatus | readonly RunStatus[];
  readonly owner?: string;
}

export function* listRuns(scope: Scope, options: ListRuns): Work<Page<Run>> {
  let rows = scope.db.selectFrom("runs").selectAll().where("workspace_id", "=", scope.workspaceId);
  if (options.sessionId !== undefined) rows = rows.where("session_id", "=", options.sessionId);
  if (options.owner !== undefined) rows = rows.where("owner", "=", options.owner);
  if (options.status !== undefined) rows = rows.where("status", "in", [options.status].flat());
  return yield* pageOf(options, {
    fetch: (after, limit) =>
      query<RunRow>(
        (after === undefined ? rows : rows.where("run_key", ">", Number(after[0])))
          .orderBy("run_key")
          .limit(limit),
      ),
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
    const [candidate] = yield* query(candidates(tx, claim));
    if (candidate === undefined) return null;
    yield* openLog(tx, candidate.session_id, "change");
    const [still] = yield* query(candidates(tx, { ...claim, sessionId: candidate.session_id }));
    if (still === undefined) continue;
    return yield* transitionRun(tx, still.run_id, { to: "running", patch: { owner: claim.owner } });
  }
}

function candidates(scope: Scope, claim: RunClaim) {
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
