/** Stores runs as rows that move along `RUN_TRANSITIONS`, each step together with an event of the session's log. */

import {
  type NewRun,
  type Page,
  RUN_EVENTS,
  RUN_TRANSITIONS,
  type Run,
  type RunPatch,
  type RunStatus,
} from "@continuo/core/model";
import { type Scope, sql, type Transaction, type Work } from "../engine/index.ts";
import { append } from "./append.ts";
import { RUN_COLUMNS } from "./columns.ts";
import { prepareEvents } from "./events.ts";
import { jsonOf } from "./json-fields.ts";
import { openLog } from "./log-rows.ts";
import { type PageRequest, pageOf, textsOf } from "./pages.ts";
import { assertName, assertText, invalid, isoOf, notFound } from "./refusals.ts";
import { findRun, invalidTransition, type RunRow, selectRun } from "./run-rows.ts";
import { findSession } from "./session-rows.ts";

export function* createRun(tx: Transaction, sessionId: string, given: NewRun): Work<Run> {
  assertName("sessionId", sessionId);
  const run = { ...given, runId: given.runId ?? tx.newId() };
  const { runId, input, agent, metadata, priority } = run;
  const data = JSON.parse(JSON.stringify({ runId, input, agent, metadata, priority })) as unknown;
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

/** Changes the row, and stores the event about the change together with it. */
export function* transitionRun(tx: Transaction, runId: string, { to, patch, lease }: Transition): Work<Run> {
  assertName("runId", runId);
  const run = yield* findRun(tx, runId);
  if (!Object.hasOwn(RUN_EVENTS, to)) throw invalid(`there is no status ${String(to)} of a run`);
  // An owner may change its run with an append, but a run cannot begin a second time.
  if (run.status === to) throw invalidTransition(run, to, RUN_TRANSITIONS[to]);
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
  readonly order?: "created" | "queue";
}

const KEY = ["run_key"];
/** A retry has the same place as the first run with its input. */
const PLACE = ["coalesce(place, run_key)", "run_key"];

/** The queue calls this for every run, so the few statement texts stay prepared. */
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
  const { order = "created" } = options;
  if (order !== "created" && order !== "queue") throw invalid(`there is no order ${String(order)} of runs`);
  const key = order === "queue" ? PLACE : KEY;
  return yield* pageOf(options, {
    fetch: (after, limit) => {
      const later = after === undefined ? [] : key.map((_, index) => Number(after[index]));
      const isLater = `(${key.join(", ")}) > (${later.map(() => "?").join(", ")})`;
      const where = [...conditions, ...(later.length === 0 ? [] : [isLater])].join(" and ");
      const text = `select ${RUN_COLUMNS} from runs where ${where} order by ${key.join(", ")} limit ?`;
      return sql<RunRow>(scope, text, ...values, ...later, limit);
    },
    keyOf: (row) => (order === "queue" ? [row.place ?? row.run_key, row.run_key] : [row.run_key]),
    toItem: toRun,
  });
}

export interface RunClaim {
  readonly owner: string;
  readonly sessionId?: string;
  readonly agents?: readonly string[];
}

/** Candidates are found without a lock, and checked again under the lock of their session's log. */
export function* claimNextRun(tx: Transaction, claim: RunClaim): Work<Run | null> {
  assertName("owner of a run", claim.owner);
  for (;;) {
    const [clock] = yield* sql<{ readonly now: number }>(tx, `select ${tx.dialect.nowMs} as now`);
    const now = clock?.now ?? 0;
    const candidate = yield* nextCandidate(tx, claim, now);
    if (candidate === undefined) return null;
    yield* openLog(tx, candidate.session_id, "change");
    const still = yield* nextCandidate(tx, { ...claim, sessionId: candidate.session_id }, now);
    if (still === undefined) continue;
    return yield* transitionRun(tx, still.run_id, {
      to: "running",
      patch: { owner: claim.owner, metadata: { claimed: true } },
    });
  }
}

type Candidate = Pick<RunRow, "run_id" | "session_id">;

/**
 * Finds the most urgent of the runs that are first in their sessions, and among equals the oldest. Runs of expired
 * sessions do not count: they are removed with their session.
 */
function* nextCandidate(scope: Scope, claim: RunClaim, now: number): Work<Candidate | undefined> {
  const { workspaceId } = scope;
  const session = claim.sessionId === undefined ? [] : [claim.sessionId];
  const agents = claim.agents === undefined ? [] : [...claim.agents, ""];
  const text = `select run_id, session_id from runs as r
    where workspace_id = ? and status = 'pending' and (not_before is null or not_before <= ?)
      and not exists (select 1 from runs as other where other.workspace_id = ? and other.session_id = r.session_id
        and (other.status = 'running' or (other.status = 'pending'
          and coalesce(other.place, other.run_key) < coalesce(r.place, r.run_key))))
      and not exists (select 1 from logs where logs.workspace_id = ? and logs.log_id = r.session_id
        and logs.expires_at <= ?)
      ${session.length === 0 ? "" : "and session_id = ?"}
      ${agents.length === 0 ? "" : `and agent in (${agents.map(() => "?").join(", ")})`}
    order by priority desc, run_key limit 1`;
  const before = [workspaceId, now, workspaceId, workspaceId, now];
  const [row] = yield* sql<Candidate>(scope, text, ...before, ...session, ...agents);
  return row;
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
    ...(row.priority === 0 ? {} : { priority: row.priority }),
    ...(row.not_before === null ? {} : { notBefore: isoOf(row.not_before) }),
    createdAt: isoOf(row.created_at),
    startedAt: row.started_at === null ? null : isoOf(row.started_at),
    endedAt: row.ended_at === null ? null : isoOf(row.ended_at),
  };
}
