/** New sessions and new runs. */

import { createHash } from "node:crypto";
import { resolve } from "node:path";
import {
  assertKnownOptions,
  type Block,
  ContinuoError,
  isContinuoError,
  type KnownOptions,
  type NewRun,
  type NewSession,
  present,
  type Run,
  rethrowForSession,
  type Session,
  type Store,
} from "@continuo/core/model";
import { runEnd } from "./ends.ts";
import { newId } from "./ids.ts";
import { assertPriority, isSameInput, type RunInput, toBlocks } from "./input.ts";
import { blobsOf, unsaidInput } from "./input-message.ts";
import { LIMITS } from "./limits.ts";
import { patientStore, type RetryPolicy } from "./patient-store.ts";
import { toRunError } from "./result.ts";
import { createRun, rootOf, takeOver } from "./retries.ts";

export type StartSessionOptions = NewSession;

/**
 * Waits for a store that does not answer, and uses the id to find out whether a try without an answer created the
 * session.
 * Errors: `conflict` for an id that is taken.
 */
export async function startSession(store: Store, options: StartSessionOptions = {}): Promise<Session> {
  assertKnownOptions("startSession", options, START_SESSION_OPTIONS);
  return await beginSession(patientStore(store, patienceOf(options)), options);
}

export const START_SESSION_OPTIONS: KnownOptions<StartSessionOptions> = {
  sessionId: true,
  status: true,
  title: true,
  agent: true,
  cwd: true,
  parentId: true,
  metadata: true,
  ttl: true,
  expiresAt: true,
  forkedFrom: true,
  claims: true,
  signal: true,
};

/**
 * Returns the session with this id; if there is none, creates it from `options`. Errors: `conflict` for a session that
 * is not a fork of `forkedFrom`, or that has another `cwd`, if these are given.
 */
export async function openSession(
  store: Store,
  sessionId: string,
  options: Omit<StartSessionOptions, "sessionId"> = {},
): Promise<Session> {
  const { sessionId: _, ...known } = START_SESSION_OPTIONS;
  assertKnownOptions("openSession", options, known);
  const patient = patientStore(store, patienceOf(options));
  const there = await patient.getSession(sessionId, present({ signal: options.signal }));
  if (there !== null) return asAsked(there, options);
  try {
    return await beginSession(patient, { ...options, sessionId });
  } catch (error) {
    // Somebody else has just created it.
    const made = isContinuoError(error, "conflict") ? await patient.getSession(sessionId) : null;
    if (made === null) throw error;
    return asAsked(made, options);
  }
}

/** A session without a `cwd` is in no folder of its own, so it is not the one that a caller with a folder means. */
function asAsked(
  session: Session,
  { forkedFrom: asked, cwd }: Pick<StartSessionOptions, "forkedFrom" | "cwd">,
): Session {
  const { sessionId, forkedFrom: origin } = session;
  if (typeof cwd === "string" && (session.cwd === null || resolve(session.cwd) !== resolve(cwd))) {
    const name = JSON.stringify(sessionId);
    throw new ContinuoError("conflict", `there is already a session ${name}, with another folder`, {
      hint: "Choose another id for another folder: a session keeps its own.",
      details: { sessionId },
    });
  }
  const isSame =
    asked === undefined ||
    (asked.logId === origin?.logId && (asked.sequence ?? origin.sequence) === origin.sequence);
  if (isSame) return session;
  const name = JSON.stringify(sessionId);
  throw new ContinuoError("conflict", `there is already a session ${name}, with another origin`, {
    hint: "Choose another id for another fork.",
    details: { sessionId },
  });
}

/** Like `startSession`, with a store that already waits. */
export async function beginSession(store: Store, options: StartSessionOptions): Promise<Session> {
  try {
    return await store.createSession({ ...options, sessionId: options.sessionId ?? newId() });
  } catch (error) {
    const source = options.forkedFrom?.logId;
    if (source === undefined) throw error;
    rethrowForSession(error, source);
  }
}

export interface StartRunOptions {
  /**
   * The run's own id, in all sessions. The same id with the same input and agent in the same session returns the
   * existing run; anything else is a `conflict`.
   */
  readonly runId?: string;
  /** The caller's id of the input, which works like `runId` but only has to be unique within its session. */
  readonly id?: string;
  /** The only agent that may execute it. */
  readonly agent?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /**
   * From -100 to 100; 0 if none is given. `claimNextRun` takes the most urgent of the runs that are first in their
   * sessions; the runs of a session keep their order.
   */
  readonly priority?: number;
  /** The number of runs that may wait for the session; 32 by default. */
  readonly maxQueued?: number;
  /**
   * The failed, timed out, interrupted or cancelled run whose input this is, for example one that `wake` offered: no
   * other run can use the input then. The new run has the place of the first run with the input, before later runs of
   * the session.
   */
  readonly retryOf?: string;
  /** Milliseconds for which `claimNextRun` does not take it. Later runs of the session wait as well. */
  readonly delayMs?: number;
  readonly signal?: AbortSignal;
}

const START_RUN_OPTIONS: KnownOptions<StartRunOptions> = {
  runId: true,
  id: true,
  agent: true,
  metadata: true,
  priority: true,
  maxQueued: true,
  retryOf: true,
  delayMs: true,
  signal: true,
};

/**
 * Journals the input; no agent is called. Runs of a session are executed in the order in which their inputs were
 * given. Waits for a store that does not answer. Errors: `not_found`, `usage`, `conflict`, `too_many_runs`.
 */
export async function startRun(
  store: Store,
  sessionId: string,
  input: RunInput,
  options: StartRunOptions = {},
): Promise<Run> {
  assertKnownOptions("startRun", options, START_RUN_OPTIONS);
  return await beginRun(patientStore(store, patienceOf(options)), { sessionId, input, options });
}

export interface RunStart {
  readonly sessionId: string;
  readonly input: RunInput;
  readonly options: StartRunOptions;
}

/** Like `startRun`, with a store that already waits. */
export async function beginRun(store: Store, { sessionId, input, options }: RunStart): Promise<Run> {
  const { agent, metadata, priority, maxQueued = LIMITS.queuedRuns, retryOf, delayMs, signal } = options;
  const call = signal === undefined ? {} : { signal };
  const blocks = toBlocks(input);
  assertPriority(priority);
  const runId = runIdOf(sessionId, present({ runId: options.runId, id: options.id }));
  const before = isNamed(options) ? await store.getRun(runId, call) : null;
  if (before !== null) return sameRun(before, { sessionId, blocks, agent, id: options.id });
  const root = retryOf === undefined ? undefined : await rootOf(store, retryOf, call);
  await assertBlobs(store, blocks);
  if ((await store.getSession(sessionId, call)) === null) {
    throw new ContinuoError("not_found", `there is no session ${JSON.stringify(sessionId)}`, {
      hint: "Create it first: `SessionManager.startSession(store, { sessionId })`.",
      hintFor: "program",
      details: { sessionId },
    });
  }
  if ((await place(store, sessionId, { maxQueued, call })) > maxQueued) throw tooMany(sessionId, maxQueued);
  const run: NewRun & { readonly runId: string } = {
    runId,
    input: blocks,
    ...present({ agent, priority, delayMs }),
    ...(metadata === undefined && root === undefined
      ? {}
      : { metadata: { ...metadata, ...present({ retryOf: root }) } }),
  };
  let created: Run;
  try {
    created =
      root === undefined
        ? await createRun(store, { sessionId, run, ...call })
        : await takeOver(store, { sessionId, run, root, ...call });
  } catch (error) {
    // Somebody else has just started the run.
    const other =
      isNamed(options) && isContinuoError(error, "conflict") ? await store.getRun(runId, call) : null;
    if (other === null) throw error;
    return sameRun(other, { sessionId, blocks, agent, id: options.id });
  }
  // Several processes may have found room at the same time: the last of them then cancel their runs.
  if ((await place(store, sessionId, { maxQueued, call, runId })) <= maxQueued) return created;
  // For a repeated input this is not final: a later caller may still retry it.
  const status = root === undefined ? "cancelled" : "interrupted";
  const error = tooMany(sessionId, maxQueued);
  const { entry, write } = runEnd(runId, status, { reason: error.message, error: toRunError(error) });
  const event = { id: newId(), type: entry.type, data: entry.data, runId };
  await store.append(sessionId, [...(await unsaidInput(store, created)), event], { also: [write] });
  throw error;
}

function isNamed({ runId, id }: StartRunOptions): boolean {
  return runId !== undefined || id !== undefined;
}

/** The id of the run for the caller's id of its input, which is unique only within its session. */
export function runIdOf(sessionId: string, options: Pick<StartRunOptions, "runId" | "id"> = {}): string {
  assertKnownOptions("runIdOf", options, { runId: true, id: true });
  const { runId, id } = options;
  if (runId !== undefined || id === undefined) return runId ?? newId();
  return createHash("sha256")
    .update(JSON.stringify([sessionId, id]))
    .digest("hex")
    .slice(0, 32);
}

interface Repetition {
  readonly sessionId: string;
  readonly blocks: readonly Block[];
  readonly agent: string | undefined;
  /** The id that the caller gave. Without it, the caller gave the id of the run. */
  readonly id: string | undefined;
}

/** Errors: `conflict` for another session, input or agent. */
function sameRun(run: Run, { sessionId, blocks, agent, id }: Repetition): Run {
  const isSame =
    run.sessionId === sessionId &&
    (agent === undefined || run.agent === agent) &&
    isSameInput(run.input, blocks);
  if (isSame) return run;
  const other = isSameInput(run.input, blocks) ? "for another agent" : "with another input";
  const known =
    id === undefined
      ? `there is already a run ${run.runId}`
      : `the session ${JSON.stringify(sessionId)} already has a message with the id ${JSON.stringify(id)}`;
  throw new ContinuoError("conflict", `${known}, ${other}`, {
    hint: "Choose another id for another input or agent.",
    details: { runId: run.runId, ...present({ id }) },
  });
}

interface QueueQuery {
  readonly maxQueued: number;
  readonly call: { readonly signal?: AbortSignal };
  readonly runId?: string;
}

/** Returns the position of the run in the queue, or of a new run; position 1 runs next. */
async function place(
  store: Store,
  sessionId: string,
  { maxQueued, call, runId }: QueueQuery,
): Promise<number> {
  let waiting = 0;
  for (let cursor: string | null | undefined; cursor !== null && waiting <= maxQueued; ) {
    const page = await store.listRuns({
      sessionId,
      status: "pending",
      limit: 1_000,
      ...present({ cursor }),
      ...call,
    });
    const own = page.items.findIndex((run) => run.runId === runId);
    if (own !== -1) return waiting + own + 1;
    waiting += page.items.length;
    cursor = page.nextCursor;
  }
  return runId === undefined ? waiting + 1 : 1;
}

function tooMany(sessionId: string, maxQueued: number): ContinuoError {
  const waiting = maxQueued === 1 ? "1 run already waits" : `${maxQueued} runs already wait`;
  return new ContinuoError("too_many_runs", `${waiting} for the session ${sessionId}`, {
    hint: "Try again after some of them have ended.",
    details: { sessionId, limit: maxQueued },
  });
}

/** Errors: `not_found` for a blob. */
async function assertBlobs(store: Store, blocks: readonly Block[]): Promise<void> {
  for (const hash of blobsOf(blocks)) {
    if ((await store.statBlob(hash)) !== null) continue;
    throw new ContinuoError("not_found", `there is no blob ${hash}`, { details: { hash } });
  }
}

function patienceOf({ signal }: { readonly signal?: AbortSignal }): RetryPolicy {
  return { storeMs: LIMITS.storeMs, ...present({ signal }) };
}
