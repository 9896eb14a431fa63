/**
 * Input that is given again, because the run that had it was interrupted. The first run of an input is its root;
 * the store's claim of the root says which run has the input now, so that no two ever do.
 */

import {
  assertKnownOptions,
  type CallOptions,
  ContinuoError,
  isContinuoError,
  type NewRun,
  type Run,
  type Store,
  type Write,
} from "@continuo/core/model";
import { newId } from "./ids.ts";
import { rememberStart, starterOf } from "./live-runs.ts";
import { runThatSaid } from "./said-input.ts";

function claimName(root: string): string {
  return `input/${root}`;
}

/** The first run of the input that a run had. */
export function rootIn(run: Run): string {
  const { retryOf } = run.metadata;
  return typeof retryOf === "string" ? retryOf : run.runId;
}

/** Errors: `not_found`. */
export async function rootOf(store: Store, runId: string, call: CallOptions): Promise<string> {
  const run = await store.getRun(runId, call);
  if (run !== null) return rootIn(run);
  throw new ContinuoError("not_found", `there is no run ${runId}`, { details: { runId } });
}

/** The run that has the input now. */
export async function latestAttempt(store: Store, root: string, call: CallOptions = {}): Promise<string> {
  assertKnownOptions("latestAttempt", call, { signal: true });
  return (await store.getClaim(claimName(root), call))?.owner ?? root;
}

export interface TakeOver extends CallOptions {
  readonly sessionId: string;
  readonly run: NewRun & { readonly runId: string };
  readonly root: string;
}

/** The input of a run that did not end well may be sent again; `wake` offers only what was interrupted. */
const RETRIED: ReadonlySet<Run["status"]> = new Set(["interrupted", "cancelled", "failed", "timeout"]);

/** A new run with the input of one that did not end well. Errors: `conflict` for any other one, or when somebody else has it. */
export async function takeOver(store: Store, { sessionId, run, root, ...call }: TakeOver): Promise<Run> {
  const claim = await store.getClaim(claimName(root), call);
  const before = await store.getRun(claim?.owner ?? root, call);
  if (before === null || !RETRIED.has(before.status) || before.sessionId !== sessionId) {
    throw taken(root, before?.status);
  }
  const said = await saidBy(store, before, call);
  const metadata = { ...run.metadata, ...(said === null ? {} : { saidBy: said }) };
  const generation = (claim?.generation ?? 0) + 1;
  const write: Write = { type: "claim", name: claimName(root), generation, owner: run.runId };
  try {
    return await createRun(store, { sessionId, run: { ...run, metadata }, also: [write], ...call });
  } catch (error) {
    throw isContinuoError(error, "fenced") ? taken(root, "given to another run") : error;
  }
}

/** The attempt whose message has the input, or that gave it to its agent when its process ended. */
async function saidBy(store: Store, run: Run, call: CallOptions): Promise<string | null> {
  return (await runThatSaid(store, run, call)) ?? (run.startedAt === null ? null : run.runId);
}

export interface RunCreation extends CallOptions {
  readonly sessionId: string;
  readonly run: NewRun & { readonly runId: string };
  readonly also?: readonly Write[];
}

/** Journals a run. Its event says which process started it. Errors: `not_found`, `conflict`, `fenced`. */
export async function createRun(store: Store, creation: RunCreation): Promise<Run> {
  const { sessionId, run, also = [], ...call } = creation;
  const { runId, input, agent, metadata, priority } = run;
  const data = JSON.parse(JSON.stringify({ runId, input, agent, metadata, priority })) as unknown;
  const actor = { kind: "system", id: starterOf() } as const;
  rememberStart(runId);
  // An id of our own: the append may be repeated when nobody heard whether it was stored.
  await store.append(sessionId, [{ id: newId(), type: "run_created", data, runId, actor }], {
    ...call,
    also: [{ type: "new_run", run }, ...also],
  });
  const created = await store.getRun(runId, call);
  if (created === null) throw new ContinuoError("not_found", `there is no run ${runId}`);
  return created;
}

function taken(root: string, status: string | undefined): ContinuoError {
  return new ContinuoError("conflict", `cannot retry run ${root}: its input cannot be given again`, {
    hint: "Retry a run that did not end well, once for each time.",
    details: { runId: root, status: status ?? null },
  });
}
