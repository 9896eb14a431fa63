/**
 * A retry is a new run with the input of a run that did not succeed. The first run of an input is its root. A claim of
 * the store, named after the root, says which run has the input now, so that two runs never have it.
 */

import {
  assertKnownOptions,
  type CallOptions,
  type Claim,
  ContinuoError,
  isContinuoError,
  type NewEvent,
  type NewRun,
  present,
  type Run,
  type RunStatus,
  type Store,
  type Write,
} from "@continuo/core/model";
import { newId } from "./ids.ts";
import { runThatSaid } from "./input-message.ts";
import { rememberStart, starterOf } from "./live-runs.ts";

function claimName(root: string): string {
  return `input/${root}`;
}

/** The id of the first run with the input of this run. */
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

/** The run that currently has the input. */
export async function latestAttempt(store: Store, root: string, call: CallOptions = {}): Promise<string> {
  assertKnownOptions("latestAttempt", call, { signal: true });
  return (await store.getClaim(claimName(root), call))?.owner ?? root;
}

export interface TakeOver extends CallOptions {
  readonly sessionId: string;
  readonly run: NewRun & { readonly runId: string };
  readonly root: string;
}

/** The input of a run with one of these ends may be sent again. `wake` offers only interrupted runs. */
const RETRIED: ReadonlySet<Run["status"]> = new Set(["interrupted", "cancelled", "failed", "timeout"]);

/**
 * Creates a run with the input of a run that did not succeed. Errors: `conflict` if that run succeeded or has not
 * ended, or if another run has the input.
 */
export async function takeOver(store: Store, { sessionId, run, root, ...call }: TakeOver): Promise<Run> {
  const claim = await store.getClaim(claimName(root), call);
  const before = await store.getRun(claim?.owner ?? root, call);
  if (before === null || !RETRIED.has(before.status) || before.sessionId !== sessionId) {
    throw cannotRetry(root, before?.status);
  }
  const taking = takingInput(run, { root, claim, before, saidBy: await saidBy(store, before, call) });
  try {
    return await createRun(store, { sessionId, run: taking.run, also: [taking.claim], ...call });
  } catch (error) {
    throw isContinuoError(error, "fenced") ? cannotRetry(root, "given to another run") : error;
  }
}

interface GivenInput {
  readonly root: string;
  readonly claim: Claim | null;
  readonly before: Run;
  readonly saidBy: string | null;
}

/** Returns the run that takes the input and the place of the first run, and the claim that keeps other runs away. */
function takingInput<R extends RunCreation["run"]>(run: R, { root, claim, before, saidBy }: GivenInput) {
  const previous = before.runId === saidBy ? undefined : before.runId;
  const metadata = {
    ...run.metadata,
    ...present({ saidBy: saidBy ?? undefined, previousAttempt: previous }),
  };
  const generation = (claim?.generation ?? 0) + 1;
  const write: Write = { type: "claim", name: claimName(root), generation, owner: run.runId };
  return { run: { ...run, metadata, placeOf: root }, claim: write };
}

/** The run whose message has the input, or the run that had started when its process ended. */
async function saidBy(store: Store, run: Run, call: CallOptions = {}): Promise<string | null> {
  return (await runThatSaid(store, run, call)) ?? (run.startedAt === null ? null : run.runId);
}

/** The attempt that follows a run that did not end well. */
export interface NextAttempt {
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Milliseconds before the attempt can begin. Later runs of the session wait for it. */
  readonly delayMs?: number;
}

/** Decides at the end of a run about the next attempt; returns `null` for no attempt. */
export type RetryDecision = (run: Run, status: RunStatus) => Promise<NextAttempt | null>;

export interface NextRun {
  readonly event: NewEvent;
  readonly also: readonly Write[];
}

/**
 * Returns the next attempt; `null` if another run has the input. The caller stores it together with the end of the run,
 * so that no later run of the session begins before it, and no crash loses it.
 */
export async function nextRun(store: Store, run: Run, attempt: NextAttempt): Promise<NextRun | null> {
  const root = rootIn(run);
  const claim = await store.getClaim(claimName(root));
  if ((claim?.owner ?? root) !== run.runId) return null;
  const { input, agent, priority } = run;
  const next = {
    runId: newId(),
    input,
    metadata: { ...attempt.metadata, retryOf: root },
    ...present({ agent: agent ?? undefined, priority, delayMs: attempt.delayMs }),
  };
  const taking = takingInput(next, { root, claim, before: run, saidBy: await saidBy(store, run) });
  return { event: creationOf(taking.run), also: [{ type: "new_run", run: taking.run }, taking.claim] };
}

export interface RunCreation extends CallOptions {
  readonly sessionId: string;
  readonly run: NewRun & { readonly runId: string };
  readonly also?: readonly Write[];
}

/** Journals a run. The event of the run says which process started it. Errors: `not_found`, `conflict`, `fenced`. */
export async function createRun(store: Store, creation: RunCreation): Promise<Run> {
  const { sessionId, run, also = [], ...call } = creation;
  const { runId } = run;
  await store.append(sessionId, [creationOf(run)], { ...call, also: [{ type: "new_run", run }, ...also] });
  const created = await store.getRun(runId, call);
  if (created === null) throw new ContinuoError("not_found", `there is no run ${runId}`);
  return created;
}

/** The event has an id, so that an append whose answer was lost can be repeated. */
function creationOf({ runId, input, agent, metadata, priority }: RunCreation["run"]): NewEvent {
  const data = JSON.parse(JSON.stringify({ runId, input, agent, metadata, priority })) as unknown;
  const actor = { kind: "system", id: starterOf() } as const;
  rememberStart(runId);
  return { id: newId(), type: "run_created", data, runId, actor };
}

function cannotRetry(root: string, status: string | undefined): ContinuoError {
  return new ContinuoError("conflict", `cannot retry run ${root}: its input cannot be given again`, {
    hint: "Retry a run that failed or was stopped, unless another run already has its input.",
    details: { runId: root, status: status ?? null },
  });
}
