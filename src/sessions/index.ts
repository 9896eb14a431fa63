/**
 * `SessionManager`: sessions that go on. A run gives an agent an input and what was said before, natively or by
 * replay, keeps what the agent does as events, and ends exactly once.
 *
 * Promises: input is journalled before an agent is called; events are stored as they arrive, and no run completes
 * with events missing; one run at a time per session, first in first out, however many processes ask; what came of
 * continuing is always said. Does not know: any agent's program or files, engines of the store, terminals.
 */

export type { RunBudget } from "./budget.ts";
export { type CancelOptions, cancelRun } from "./cancel.ts";
export type { Continuation, ContinuationOptions } from "./continuation.ts";
export { executeRun } from "./execute.ts";
export type { RunInput } from "./input.ts";
export { runnerOf } from "./lease.ts";
export { type RunOnceOptions, runOnce } from "./once.ts";
export type { ExecuteRunOptions } from "./options.ts";
export type { Reference, ReferenceState } from "./references.ts";
export type { RunError, RunResult } from "./result.ts";
export { type StartRunOptions, type StartSessionOptions, startRun, startSession } from "./start.ts";
export { type OfferedInput, type WakeOptions, type Woken, wake } from "./wake.ts";
