/** What a repair is asked for, and what it did. */

import type { AgentName, Problem } from "@continuo/core/model";
import type { LookupOptions } from "../native/index.ts";
import type { RepairEdit } from "../native/repairing/index.ts";

export interface RepairOptions extends LookupOptions {
  /** Nothing is written when left out. A file must not be there yet, unless `force` replaces it. */
  readonly write?: "in place" | CopyTo;
}

export interface CopyTo {
  /** A relative one is of the folder `cwd`. */
  readonly file: string;
  readonly force?: boolean;
}

export interface SessionRepair {
  readonly agent: AgentName;
  readonly sessionId: string;
  readonly location: string;
  /** Empty where there is nothing to repair; nothing is written then. */
  readonly edits: readonly RepairEdit[];
  /** How many results the edits take out because no call waits for them: no model is sent those. */
  readonly droppedResults: number;
  /** What is still damaged in the repaired session, by a full read of it. */
  readonly remaining: readonly Problem[];
  /** The file, or database, that was written; `null` where none was. */
  readonly written: string | null;
  /** What `restoreNativeSession` takes to bring the old state back; `null` where nothing moved. */
  readonly trashId: string | null;
}
