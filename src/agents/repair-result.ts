/** What a repair is asked for, and what it did. */

import type { AgentName } from "../model/index.ts";
import type { LookupOptions } from "./lookup/index.ts";
import type { RepairEdit } from "./repairing/index.ts";

export interface RepairOptions extends LookupOptions {
  /** Nothing is written when left out. A file must not be there yet. */
  readonly write?: "in place" | { readonly file: string };
}

export interface SessionRepair {
  readonly agent: AgentName;
  readonly sessionId: string;
  readonly location: string;
  /** Empty where there is nothing to repair; nothing is written then. */
  readonly edits: readonly RepairEdit[];
  /** The file, or database, that was written; `null` where none was. */
  readonly written: string | null;
  /** What `restoreNativeSession` takes to bring the old state back; `null` where nothing moved. */
  readonly trashId: string | null;
}
