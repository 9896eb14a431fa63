/** One input, one answer: a run that is started and executed. */

import { type Agent, assertKnownOptions, type NewSession, present, type Store } from "@continuo/core/model";
import { executeRun } from "./execute.ts";
import { newId } from "./ids.ts";
import { assertPriority, type RunInput, toBlocks } from "./input.ts";
import { LIMITS } from "./limits.ts";
import { trackRun } from "./live-runs.ts";
import { assertOptions, type ExecuteRunOptions } from "./options.ts";
import { patientStore } from "./patient-store.ts";
import type { RunResult } from "./result.ts";
import { beginRun, beginSession, runIdOf, START_SESSION_OPTIONS, type StartRunOptions } from "./start.ts";

export interface RunOnceOptions
  extends ExecuteRunOptions,
    Omit<StartRunOptions, "agent" | "delayMs" | "signal"> {
  /** The session to continue (then `continuation` is `auto`); a new one by default. */
  readonly sessionId?: string;
  /** The options of the session, if the call creates it. */
  readonly session?: Omit<NewSession, "signal" | "sessionId">;
}

/** Errors: as `startSession`, `startRun`, `executeRun`. */
export async function runOnce(
  store: Store,
  agent: Agent,
  input: RunInput,
  options: RunOnceOptions = {},
): Promise<RunResult> {
  const { sessionId, session, runId, id: inputId, metadata, priority, ...others } = options;
  const { maxQueued, retryOf, ...execution } = others;
  // The options are checked before anything is written.
  assertOptions(execution);
  assertKnownOptions("session", session ?? {}, START_SESSION_OPTIONS);
  assertPriority(priority);
  toBlocks(input);
  const ownId =
    sessionId === undefined ? (runId ?? newId()) : runIdOf(sessionId, present({ runId, id: inputId }));
  const leave = trackRun(ownId);
  try {
    const { signal, storeMs = LIMITS.storeMs } = options;
    const patient = patientStore(store, { storeMs, ...present({ signal }) });
    const id = sessionId ?? (await beginSession(patient, { ...session })).sessionId;
    const run = await beginRun(patient, {
      sessionId: id,
      input,
      options: present({ agent: agent.name, runId: ownId, metadata, priority, maxQueued, retryOf, signal }),
    });
    const continuation = sessionId === undefined ? false : "auto";
    return await executeRun(store, agent, run.runId, { continuation, ...execution });
  } finally {
    leave();
  }
}
