/** A run is one execution of an agent on a session. It ends exactly once. */

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
  /** `claimNextRun` does not take the run before this time: the time of its creation plus `delayMs`. */
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
  /** An earlier run of the session. This run has its place in the queue, so later runs wait for this run. */
  readonly placeOf?: string;
  /** Milliseconds for which `claimNextRun` does not take the run. Later runs of the session wait as well. */
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
  /** Only runs of this session; by default, runs of all sessions. */
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
   * Starts a pending run of a session in which no run is running; returns `null` if there is nothing to do. Among the
   * first runs of all sessions, it takes the run with the highest priority, and among equals the oldest. Within a
   * session, the first run in the queue starts first, whatever the priorities are, and however many processes ask. A
   * run with `placeOf` has the place of that run, and a run with `delayMs` waits. `executeRun` executes the run with
   * `claimedBy`, the same owner; until then the metadata of the run has `claimed`.
   */
  claimNextRun(options: ClaimRunOptions): Promise<Run | null>;
}
