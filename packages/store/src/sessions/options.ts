/** The options for executing a run, and the checks that refuse invalid ones before anything is written. */

import {
  assertKnownOptions,
  assertNumbers,
  ContinuoError,
  type KnownOptions,
  type StoredEvent,
} from "@continuo/core/model";
import { assertBudget, type RunBudget } from "./budget.ts";
import { askedOf, type Continuation, type ContinuationOptions } from "./continuation.ts";
import type { RetryDecision } from "./retries.ts";

export interface ExecuteRunOptions {
  /** `false` by default. */
  readonly continuation?: Continuation;
  readonly continuationOpts?: ContinuationOptions;
  /**
   * With `auto`, a run with the input of an interrupted run continues the native session of that run, in which the
   * agent may find what it has already done; `false` by default.
   */
  readonly resumeInterrupted?: boolean;
  /** Given to the agent unchanged. */
  readonly adapterOpts?: Readonly<Record<string, unknown>>;
  /** The run ends as `timeout` this many milliseconds after its beginning; no limit by default. */
  readonly timeoutMs?: number;
  /** Milliseconds that a cancelled agent may take to end; 5,000 by default. */
  readonly graceMs?: number;
  readonly budget?: RunBudget;
  /** The milliseconds for which the lease of the session is valid without a renewal; 30,000 by default. */
  readonly leaseMs?: number;
  /** The milliseconds for which the run waits for a store that does not answer; 20,000 by default. */
  readonly storeMs?: number;
  /** Sessions of this store that run at the same time in this process; 16 if none is given. */
  readonly maxParallel?: number;
  /** Called with each batch of events that the run stored. */
  readonly onStored?: (events: readonly StoredEvent[]) => void;
  /** Ends the run as `cancelled`, also while it waits. */
  readonly signal?: AbortSignal;
  /**
   * Leaves the run without an end, like a killed process: `executeRun` rejects with `fenced`, and `wake` ends the run.
   * With `retry`, the run ends as `interrupted` instead, together with its next attempt.
   */
  readonly abandon?: AbortSignal;
  /** The `owner` for whom `claimNextRun` started the run. */
  readonly claimedBy?: string;
  /**
   * Awaited when it is the run's turn, before the run begins and its agent is asked anything. If it rejects, the run
   * fails with this error.
   */
  readonly ready?: (signal: AbortSignal) => Promise<void>;
  /** It is asked before the end of a run is stored: the next attempt is stored together with the end. */
  readonly retry?: RetryDecision;
}

/** The least value of each option. */
const LEAST = { timeoutMs: 0, graceMs: 0, leaseMs: 1, storeMs: 0, maxParallel: 1 } as const;
const LEAST_CONTEXT = { limit: 1, maxMessages: 1, maxChars: 1, maxTokensApprox: 1 } as const;

const OPTIONS: KnownOptions<ExecuteRunOptions> = {
  continuation: true,
  continuationOpts: true,
  resumeInterrupted: true,
  adapterOpts: true,
  timeoutMs: true,
  graceMs: true,
  budget: true,
  leaseMs: true,
  storeMs: true,
  maxParallel: true,
  onStored: true,
  signal: true,
  abandon: true,
  claimedBy: true,
  ready: true,
  retry: true,
};

const CONTINUATION_OPTIONS: KnownOptions<ContinuationOptions> = {
  limit: true,
  maxMessages: true,
  maxChars: true,
  maxTokensApprox: true,
  tokenizer: true,
};

/** Errors: `usage`, also for an unknown option. */
export function assertOptions(options: ExecuteRunOptions): void {
  assertKnownOptions("a run", options, OPTIONS);
  const { continuation = false, continuationOpts = {}, adapterOpts = {}, budget = {} } = options;
  askedOf(continuation);
  assertNumbers(options, LEAST);
  if (!isRecord(continuationOpts)) throw usage("continuationOpts must be an object");
  assertKnownOptions("continuationOpts", continuationOpts, CONTINUATION_OPTIONS);
  assertNumbers(continuationOpts, LEAST_CONTEXT);
  const { limit, tokenizer } = continuationOpts;
  if (limit !== undefined && !Number.isSafeInteger(limit)) throw usage("limit must be a whole number");
  if (tokenizer !== undefined && typeof tokenizer !== "function") throw usage("tokenizer must be a function");
  if (!isRecord(adapterOpts)) throw usage("adapterOpts must be an object");
  if (!isRecord(budget)) throw usage("budget must be an object");
  assertBudget(budget);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function usage(message: string): ContinuoError {
  return new ContinuoError("usage", message);
}
