/**
 * `SessionManager`: runs of an agent on a session, continued natively or by replay.
 *
 * Promises: the input is journalled before the agent is called; events are stored as they arrive, and a run never
 * completes with events missing; a run ends exactly once; a session has one run at a time, first in, first out,
 * across all processes; the outcome of a continuation is always reported.
 * Does not know: the programs and files of agents, engines of the store, terminals.
 */

export type {
  Agent,
  AgentCapabilities,
  AgentEvent,
  AgentRequest,
  AgentResult,
  AgentTranscript,
  ExecuteOptions,
  Run,
  RunStatus,
  Session,
  Store,
  StoredEvent,
} from "@continuo/core/model";
export type { RunBudget } from "./budget.ts";
export { type CancelOptions, cancelRun } from "./cancel.ts";
export type { Continuation, ContinuationOptions } from "./continuation.ts";
export { type CutOffOptions, findCutOff } from "./cut-off.ts";
export { executeRun } from "./execute.ts";
export { type RunOnceOptions, runOnce } from "./idempotent-run.ts";
export { assertInput, assertPriority, isInput, type RunInput } from "./input.ts";
export { newOwner, runnerOf } from "./lease.ts";
export type { ExecuteRunOptions } from "./options.ts";
export type { Reference, ReferenceState } from "./references.ts";
export type { RunError, RunResult } from "./result.ts";
export { latestAttempt, type NextAttempt, type RetryDecision, rootIn } from "./retries.ts";
export {
  openSession,
  runIdOf,
  type StartRunOptions,
  type StartSessionOptions,
  startRun,
  startSession,
} from "./start.ts";
export { MAX_TIMER_MS } from "./stops.ts";
export { type OfferedInput, type WakeOptions, type WakeResult, wake } from "./wake.ts";
export { type WakeAllOptions, wakeAll } from "./wake-all.ts";
