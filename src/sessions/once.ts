/** One input, one answer: a run that is started and executed. */

import { type Agent, type NewSession, present, type Store } from "../model/index.ts";
import { attend } from "./attended.ts";
import { executeRun } from "./execute.ts";
import { newId } from "./ids.ts";
import { type RunInput, toBlocks } from "./input.ts";
import { assertOptions, type ExecuteRunOptions } from "./options.ts";
import type { RunResult } from "./result.ts";
import { type StartRunOptions, startRun, startSession } from "./start.ts";

export interface RunOnceOptions extends ExecuteRunOptions, Omit<StartRunOptions, "agent" | "signal"> {
  /** The session to continue (then `continuation` is `auto`); a new one by default. */
  readonly sessionId?: string;
  /** What a new session is made with. */
  readonly session?: Omit<NewSession, "signal" | "sessionId">;
}

/** Errors: as `startSession`, `startRun`, `executeRun`. */
export async function runOnce(
  store: Store,
  agent: Agent,
  input: RunInput,
  options: RunOnceOptions = {},
): Promise<RunResult> {
  const { sessionId, session, runId, metadata, maxQueued, retryOf, ...execution } = options;
  // Before anything is written.
  assertOptions(execution);
  toBlocks(input);
  const ownId = runId ?? newId();
  const leave = attend(ownId);
  try {
    const id = sessionId ?? (await startSession(store, { ...session })).sessionId;
    const run = await startRun(
      store,
      id,
      input,
      present({ agent: agent.name, runId: ownId, metadata, maxQueued, retryOf, signal: options.signal }),
    );
    const continuation = sessionId === undefined ? false : "auto";
    return await executeRun(store, agent, run.runId, { continuation, ...execution });
  } finally {
    leave();
  }
}
