/**
 * Input that is given again, because the run that had it was interrupted. The first run of an input is its root;
 * the store's claim of the root says which run has the input now, so that no two ever do.
 */

import {
  type CallOptions,
  ContinuoError,
  isContinuoError,
  type NewRun,
  type Run,
  type Store,
} from "../model/index.ts";

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
  throw new ContinuoError("not_found", `There is no run ${runId}.`, { details: { runId } });
}

/** The run that has the input now. */
export async function latestAttempt(store: Store, root: string, call: CallOptions): Promise<string> {
  return (await store.getClaim(claimName(root), call))?.owner ?? root;
}

export interface TakeOver extends CallOptions {
  readonly sessionId: string;
  readonly run: NewRun & { readonly runId: string };
  readonly root: string;
}

/** A new run with the input of one that was interrupted. Errors: `conflict` when it was not, or somebody else has it. */
export async function takeOver(store: Store, { sessionId, run, root, ...call }: TakeOver): Promise<Run> {
  const claim = await store.getClaim(claimName(root), call);
  const before = await store.getRun(claim?.owner ?? root, call);
  if (before === null || before.status !== "interrupted" || before.sessionId !== sessionId) {
    throw taken(root, before?.status);
  }
  const said = before.metadata.saidBy ?? (before.startedAt === null ? undefined : before.runId);
  const { runId, input, agent } = run;
  const metadata = { ...run.metadata, ...(typeof said === "string" ? { saidBy: said } : {}) };
  const data = JSON.parse(JSON.stringify({ runId, input, agent, metadata })) as unknown;
  const generation = (claim?.generation ?? 0) + 1;
  try {
    await store.append(sessionId, [{ type: "run_created", data, runId }], {
      ...call,
      also: [
        { type: "new_run", run: { ...run, metadata } },
        { type: "claim", name: claimName(root), generation, owner: runId },
      ],
    });
  } catch (error) {
    throw isContinuoError(error, "fenced") ? taken(root, "given to another run") : error;
  }
  const created = await store.getRun(runId, call);
  if (created === null) throw new ContinuoError("not_found", `There is no run ${runId}.`);
  return created;
}

function taken(root: string, status: string | undefined): ContinuoError {
  return new ContinuoError("conflict", `The input of the run ${root} is not to be given again.`, {
    hint: "Only the input of an interrupted run is, once for each time that it was interrupted.",
    details: { runId: root, status: status ?? null },
  });
}
