/** The options of a repair, and its result. */

import type { AgentName, Problem } from "@continuo/core/model";
import type { LookupOptions } from "../native/index.ts";
import type { RepairEdit } from "../native/repairing/index.ts";

export interface RepairOptions extends LookupOptions {
  /** Nothing is written by default. The file must not exist, unless `force` replaces it. */
  readonly write?: "in place" | CopyTarget;
}

export interface CopyTarget {
  /** A relative path starts from the folder `cwd`. */
  readonly file: string;
  readonly force?: boolean;
}

export interface SessionRepair {
  readonly agent: AgentName;
  readonly sessionId: string;
  readonly location: string;
  /** Empty if there is nothing to repair; then nothing is written. */
  readonly edits: readonly RepairEdit[];
  /** The number of results that the edits remove because no call waits for them: models never receive such results. */
  readonly droppedResults: number;
  /** The problems that remain in the repaired session, by a full read of it. */
  readonly remaining: readonly Problem[];
  /** The file, or database, that was written; `null` if none was. */
  readonly written: string | null;
  /** The id for `restoreNativeSession`, which brings the old state back; `null` if nothing was moved. */
  readonly trashId: string | null;
}
