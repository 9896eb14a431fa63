/** The row of a run, without the log of its session. */

import {
  ContinuoError,
  isRunPriority,
  MAX_RUN_PRIORITY,
  type NewRun,
  RUN_TRANSITIONS,
  type RunPatch,
  type RunStatus,
} from "@continuo/core/model";
import { type Scope, sql, type Transaction, textOnce, type Work } from "../engine/index.ts";
import { RUN_COLUMNS } from "./columns.ts";
import { mergedMetadata, metadataText, textOfJson } from "./json-fields.ts";
import { assertName, conflict, invalid, notFound } from "./refusals.ts";

export interface RunRow {
  readonly run_key: number;
  readonly run_id: string;
  readonly session_id: string;
  readonly status: string;
  readonly agent: string | null;
  readonly owner: string | null;
  readonly input: string | null;
  readonly result: string | null;
  readonly error: string | null;
  readonly metadata: string;
  readonly priority: number;
  readonly place: number | null;
  readonly not_before: number | null;
  readonly created_at: number;
  readonly started_at: number | null;
  readonly ended_at: number | null;
}

/** Changes only the row. Errors: `conflict`, `invalid`. */
export function* insertRun(tx: Transaction, sessionId: string, run: NewRun, now: number): Work<void> {
  const runId = run.runId ?? tx.newId();
  assertName("runId", runId);
  if (run.agent !== undefined) assertName("agent of a run", run.agent);
  if (run.priority !== undefined && !isRunPriority(run.priority)) {
    throw invalid(
      `the priority of a run must be a whole number from -${MAX_RUN_PRIORITY} to ${MAX_RUN_PRIORITY}`,
    );
  }
  const { placeOf, delayMs } = run;
  if (placeOf !== undefined) assertName("placeOf of a run", placeOf);
  if (delayMs !== undefined && !(Number.isSafeInteger(delayMs) && delayMs >= 0)) {
    throw invalid("the delay of a run must be a whole number of milliseconds, 0 or more");
  }
  const inserted = yield* sql(
    tx,
    `insert into runs (workspace_id, run_id, session_id, status, agent, input, metadata, priority, created_at,
       not_before, place)
     values (?, ?, ?, 'pending', ?, ?, ?, ?, ?, ?, (select coalesce(first.place, first.run_key) from runs as first
       where first.workspace_id = ? and first.run_id = ? and first.session_id = ?))
     ${tx.dialect.onConflict("workspace_id, run_id")} ${tx.dialect.returning("run_key")}`,
    tx.workspaceId,
    runId,
    sessionId,
    run.agent ?? null,
    run.input === undefined ? null : textOfJson("input of a run", run.input),
    metadataText(run.metadata),
    run.priority ?? 0,
    now,
    delayMs === undefined ? null : now + delayMs,
    tx.workspaceId,
    placeOf ?? null,
    sessionId,
  );
  if (inserted.length === 0) throw conflict(`there is already a run ${runId}`, { runId });
}

/** Changes only the row. The owner of a running run may set its metadata. Errors: `not_found`, `invalid_transition`. */
export function* moveRun(
  tx: Transaction,
  runId: string,
  to: RunStatus,
  patch: RunPatch,
  now: number,
): Work<void> {
  const run = yield* selectRun(tx, runId, tx.dialect.forUpdate);
  if (run === undefined) throw notFound("run", runId);
  const allowed = RUN_TRANSITIONS[run.status as RunStatus];
  const { owner, result, error, metadata } = patch;
  if (run.status === "running" && to === "running" && owner !== undefined && owner === run.owner) {
    const merged = mergedMetadata(run.metadata, metadata);
    yield* sql(tx, "update runs set metadata = ? where run_key = ?", merged, run.run_key);
    return;
  }
  if (!allowed.includes(to)) throw invalidTransition(run, to, allowed);
  const text = `update runs set status = ?, metadata = ?, owner = coalesce(?, owner), result = coalesce(?, result),
    error = coalesce(?, error), ${to === "running" ? "started_at" : "ended_at"} = ? where run_key = ?`;
  yield* sql(
    tx,
    text,
    to,
    mergedMetadata(run.metadata, metadata),
    owner ?? null,
    result === undefined ? null : textOfJson("result of a run", result),
    error === undefined ? null : textOfJson("error of a run", error),
    now,
    run.run_key,
  );
}

export function invalidTransition(run: RunRow, to: RunStatus, allowed: readonly RunStatus[]): ContinuoError {
  const message =
    allowed.length === 0
      ? `the run ${run.run_id} has already ended (${run.status})`
      : `the run ${run.run_id} is ${run.status}, and cannot become ${to}`;
  return new ContinuoError("invalid_transition", message, {
    details: { runId: run.run_id, from: run.status, to, allowed },
  });
}

export function* findRun(scope: Scope, runId: string): Work<RunRow> {
  const row = yield* selectRun(scope, runId, "");
  if (row === undefined) throw notFound("run", runId);
  return row;
}

export function* selectRun(scope: Scope, runId: string, lock: string): Work<RunRow | undefined> {
  const text = textOnce(
    scope.dialect,
    `run${lock}`,
    () => `select ${RUN_COLUMNS} from runs where workspace_id = ? and run_id = ?${lock}`,
  );
  const [row] = yield* sql<RunRow>(scope, text, scope.workspaceId, runId);
  return row;
}
