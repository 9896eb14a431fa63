/**
 * Executes one run: waits for its turn, calls the agent, stores the events of the agent, and ends the run exactly once.
 */

import { type Agent, ContinuoError, type Run, type Session, type Store } from "@continuo/core/model";
import { debugOf } from "@continuo/files";
import { cancelPending } from "./cancel.ts";
import { newId } from "./ids.ts";
import { toBlocks } from "./input.ts";
import { interruptRun, PROCESS_ENDED } from "./interrupt.ts";
import { LIMITS } from "./limits.ts";
import { isClaimed, trackRun } from "./live-runs.ts";
import { assertOptions, type ExecuteRunOptions } from "./options.ts";
import { patientStore } from "./patient-store.ts";
import { type QueuePosition, takeTurn } from "./queue.ts";
import { type RunResult, resultOfEnded } from "./result.ts";
import { runTurn } from "./run-turn.ts";
import { type ObservedRun, observeRun } from "./telemetry.ts";

const debug = debugOf("sessions");

/**
 * Resolves when the run has ended; `result.status` distinguishes the ends.
 * Errors: `not_found`; `invalid_transition` if the run ended or began before; `conflict` for a run of another agent;
 * `native_unavailable` (the run has failed then); `fenced` if another process took the session and ended the run;
 * `usage`; those of the store, if it cannot even store the end (`wake` ends the run later).
 */
export async function executeRun(
  given: Store,
  agent: Agent,
  runId: string,
  options: ExecuteRunOptions = {},
): Promise<RunResult> {
  return await observeRun(agent, runId, (observed) => execute(given, observed, runId, options));
}

async function execute(
  given: Store,
  { agent, began }: ObservedRun,
  runId: string,
  options: ExecuteRunOptions,
): Promise<RunResult> {
  const { leaseMs = LIMITS.leaseMs, maxParallel = LIMITS.parallelRuns } = options;
  const { signal, storeMs = LIMITS.storeMs } = options;
  assertOptions(options);
  const call = signal === undefined ? {} : { signal };
  const store = patientStore(given, { storeMs, ...call });
  const leave = trackRun(runId);
  try {
    const run = await runToExecute(store, agent, runId, options.claimedBy);
    debug("run begins", () => ({ runId, sessionId: run.sessionId, agent: agent.name }));
    const input = toBlocks(run.input);
    const owner = options.claimedBy ?? newId();
    const own = await takeTurn(store, run, { owner, leaseMs, maxParallel, caller: given, ...call });
    if (own === null) {
      if (signal?.aborted === true) await cancelPending(store, runId, "the caller's signal");
      return resultOfEnded(await knownRun(store, runId));
    }
    try {
      began(run);
      await interruptOthers(store, own, options);
      const session = await knownSession(store, run.sessionId);
      return await runTurn({ store, agent, run, session, input, owner, lease: own.lease, options });
    } finally {
      await own.release();
    }
  } finally {
    leave();
  }
}

async function runToExecute(
  store: Store,
  agent: Agent,
  runId: string,
  claimedBy: string | undefined,
): Promise<Run> {
  const run = await knownRun(store, runId);
  const isOwn = claimedBy !== undefined && run.owner === claimedBy && isClaimed(run);
  if (run.status !== "pending" && !isOwn) {
    throw new ContinuoError(
      "invalid_transition",
      `cannot execute run ${runId}: it is ${run.status}, not pending`,
      {
        hint: "Start a new run: a run is executed only once.",
        details: { runId, from: run.status, to: "running" },
      },
    );
  }
  if (run.agent !== null && run.agent !== agent.name) {
    throw new ContinuoError(
      "conflict",
      `cannot execute run ${runId}: it is for ${run.agent}, not for ${agent.name}`,
      {
        details: { runId, agent: run.agent },
      },
    );
  }
  return run;
}

async function knownRun(store: Store, runId: string): Promise<Run> {
  const run = await store.getRun(runId);
  if (run !== null) return run;
  throw new ContinuoError("not_found", `there is no run ${runId}`, { details: { runId } });
}

async function knownSession(store: Store, sessionId: string): Promise<Session> {
  const session = await store.getSession(sessionId);
  if (session !== null) return session;
  throw new ContinuoError("not_found", `there is no session ${JSON.stringify(sessionId)}`, {
    hint: "Create it first: `SessionManager.startSession(store, { sessionId })`.",
    hintFor: "program",
    details: { sessionId },
  });
}

/** Ends the runs that are marked as running. This process has the lease, so they do not run any more. */
async function interruptOthers(
  store: Store,
  { lease, others }: QueuePosition,
  { retry }: ExecuteRunOptions,
): Promise<void> {
  for (const other of others) await interruptRun(store, other, { lease, reason: PROCESS_ENDED, retry });
}
