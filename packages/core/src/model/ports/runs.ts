/** Runs: one execution of an agent on a session. A run ends exactly once. */

import type { EventType } from "../events/index.ts";
import type { CallOptions, Page, PageOptions } from "./page.ts";

export const RUN_STATUSES = [
  "pending",
  "running",
  "completed",
  "failed",
  "cancelled",
  "timeout",
  "interrupted",
] as const;

export type RunStatus = (typeof RUN_STATUSES)[number];

/** The statuses that may follow each status. A status that nothing follows ends the run. */
export const RUN_TRANSITIONS: Readonly<Record<RunStatus, readonly RunStatus[]>> = {
  pending: ["running", "cancelled", "interrupted"],
  running: ["completed", "failed", "cancelled", "timeout", "interrupted"],
  completed: [],
  failed: [],
  cancelled: [],
  timeout: [],
  interrupted: [],
};

/** The event that records each status, in the session's log. */
export const RUN_EVENTS: Readonly<Record<RunStatus, EventType>> = {
  pending: "run_created",
  running: "run_started",
  completed: "run_completed",
  failed: "run_failed",
  cancelled: "run_cancelled",
  timeout: "run_timed_out",
  interrupted: "run_interrupted",
};

/** The statuses that end a run: nothing follows them. */
export const RUN_END_STATUSES: readonly RunStatus[] = RUN_STATUSES.filter(
  (status) => RUN_TRANSITIONS[status].length === 0,
);

export interface Run {
  readonly runId: string;
  readonly sessionId: string;
  readonly status: RunStatus;
  readonly agent: string | null;
  readonly owner: string | null;
  readonly input: unknown;
  readonly result: unknown;
  readonly error: unknown;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** See `NewRun`; left out where it is 0. */
  readonly priority?: number;
  /** The time before which `claimNextRun` does not take it: that of its creation and its `delayMs`. */
  readonly notBefore?: string;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
}

export interface NewRun {
  readonly runId?: string;
  readonly agent?: string;
  readonly input?: unknown;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** A whole number from -100 to 100; 0 if none is given. `claimNextRun` takes the highest first. */
  readonly priority?: number;
  /** An earlier run of the session, whose place in the queue it has: later runs wait for it. */
  readonly placeOf?: string;
  /** Milliseconds for which `claimNextRun` does not take it. Later runs of the session wait as well. */
  readonly delayMs?: number;
}

/** The highest priority of a run; the lowest one is its negative. */
export const MAX_RUN_PRIORITY = 100;

export function isRunPriority(priority: unknown): priority is number {
  return Number.isInteger(priority) && Math.abs(priority as number) <= MAX_RUN_PRIORITY;
}

export interface RunPatch {
  readonly owner?: string;
  readonly result?: unknown;
  readonly error?: unknown;
  /** Keys are set one by one; `null` removes one. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export interface ListRunsOptions extends PageOptions {
  readonly sessionId?: string;
  readonly status?: RunStatus | readonly RunStatus[];
  readonly owner?: string;
  /**
   * `queue`: in the order in which a session executes them, where a run with `placeOf` has the place of that run.
   * `created` by default.
   */
  readonly order?: "created" | "queue";
}

export interface ClaimRunOptions extends CallOptions {
  /** The owner that will run it. */
  readonly owner: string;
  /** Only runs of this session; of all sessions if none is given. */
  readonly sessionId?: string;
  /** Only runs for these agents. */
  readonly agents?: readonly string[];
}

export interface TransitionOptions extends CallOptions, RunPatch {
  readonly to: RunStatus;
  readonly lease?: { readonly name: string; readonly token: number };
}

export interface RunStore {
  /** Appends `run_created` with the input to the session's log. Errors: `not_found` (session), `conflict`. */
  createRun(options: NewRun & CallOptions & { readonly sessionId: string }): Promise<Run>;
  getRun(runId: string, options?: CallOptions): Promise<Run | null>;
  /** Oldest first, or in the order of the queue. */
  listRuns(options?: ListRunsOptions): Promise<Page<Run>>;
  /** Appends the event of the new status. Errors: `not_found`, `invalid_transition`, `fenced`. */
  transitionRun(runId: string, options: TransitionOptions): Promise<Run>;
  /**
   * Starts a pending run whose session has none running: among the first runs of all sessions, the one with the highest
   * priority, and among equals the oldest. First in, first out within a session, whatever the priorities are, and
   * however many processes ask; a run with `placeOf` has the place of that run, and one with `delayMs` waits. `null` when
   * there is nothing to do. `executeRun` executes it with `claimedBy`, the same owner; until then the metadata of the run
   * have `claimed`.
   */
  claimNextRun(options: ClaimRunOptions): Promise<Run | null>;
}
