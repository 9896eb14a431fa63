/** How one run is executed. */

import type { StoredEvent } from "../model/index.ts";
import type { RunBudget } from "./budget.ts";
import type { Continuation, ContinuationOptions } from "./continuation.ts";

export interface ExecuteRunOptions {
  /** `false` where none is given. */
  readonly continuation?: Continuation;
  readonly continuationOpts?: ContinuationOptions;
  /** Given to the agent as they are. */
  readonly adapterOpts?: Readonly<Record<string, unknown>>;
  /** Since the run began; then it ends as `timeout`. */
  readonly timeoutMs?: number;
  /** How long an agent that was told to stop has; 5,000 where none is given. */
  readonly graceMs?: number;
  readonly budget?: RunBudget;
  /** How long the session is held without a sign of life; 30,000 where none is given. */
  readonly leaseMs?: number;
  /** Sessions of this store that run at the same time in this process; 16 where none is given. */
  readonly maxParallel?: number;
  /** Called with each batch of events that the run stored. */
  readonly onStored?: (events: readonly StoredEvent[]) => void;
  /** Ends the run as `cancelled`, also while it waits. */
  readonly signal?: AbortSignal;
}
