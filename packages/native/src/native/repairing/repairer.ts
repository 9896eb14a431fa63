/** The port for the repair of an agent's sessions. */

import type { AgentName } from "@continuo/core/model";
import type { Json } from "@continuo/files";
import type { OpenedSession } from "../kit/index.ts";
import type { Makers } from "../writing/index.ts";
import type { RepairDraft, RepairEdit } from "./draft.ts";

export interface RepairContext {
  readonly sessionId: string;
  /** The folder, if the session names one. */
  readonly cwd: string | null;
  /** The folder according to the place of the file, if the session names no existing one. */
  readonly cwdOfPlace?: string | null;
  readonly makers: Makers;
}

export interface NativeRepairer {
  readonly agent: AgentName;
  /** Errors: `unsupported` for a file of a form that is not repaired. */
  refuse?(path: string): void;
  /**
   * The session's folder according to the location of its file, if no record names it; `null` if the location does not
   * show it.
   */
  findCwd?(path: string): Promise<string | null>;
  /** Repairs the records; lines that are not JSON objects were already removed. Pure. */
  mend(draft: RepairDraft, context: RepairContext): void;
  /**
   * Writes the rest that the agent's own list needs to show a session that is repaired in its place. Errors:
   * `busy`, `unwritable`.
   */
  relist?(repaired: RepairResult): Promise<void>;
}

export interface RepairResult {
  readonly sessionId: string;
  readonly sessionFile: string;
  readonly records: readonly Json[];
}

export interface RowRepair {
  readonly edits: readonly RepairEdit[];
  /** The rows that are changed or removed; those that refer to others come first. */
  readonly tables: readonly { readonly name: string; readonly ids: readonly string[] }[];
  /** For the writer's sink. */
  readonly records: readonly Json[];
}

/** The repairer of an agent that keeps a database. */
export interface RowRepairer {
  readonly agent: AgentName;
  mendRows(opened: OpenedSession): Promise<RowRepair>;
  /** The repaired session as a file that the agent imports; `null` if its own record is lost. */
  toFile(opened: OpenedSession, repair: RowRepair, context: RepairContext): Promise<string | null>;
}
