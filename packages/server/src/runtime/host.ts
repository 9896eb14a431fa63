/** The store, the agents and the callbacks that the parts of the front door share. */

import type { Store } from "@continuo/core/model";
import type { ApprovalDesk } from "./approvals.ts";
import type { FailureText } from "./failure-text.ts";
import type { RunReaders } from "./run-readers.ts";
import type { AgentDefinition, ContinuoOptions } from "./types.ts";

export interface Host {
  readonly store: Store;
  readonly options: ContinuoOptions;
  readonly agents: ReadonlyMap<string, AgentDefinition>;
  readonly approvals: ApprovalDesk;
  readonly readers: RunReaders;
  /** Tells the queue of this process that there may be work. */
  readonly poke: () => void;
  readonly report: (error: unknown) => void;
  readonly failureText: FailureText;
}
