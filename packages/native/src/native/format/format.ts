/** The format of an agent: it finds, reads and changes the agent's sessions. */

import type { NativeForker } from "../forking/index.ts";
import type {
  AgentReader,
  AgentRetention,
  AgentVisibility,
  FoundSession,
  Relocate,
  RepositoryMarks,
} from "../kit/index.ts";
import type { NativeRepairer, RowRepairer } from "../repairing/index.ts";
import type { NativeWriter } from "../writing/index.ts";

export interface AgentFormat extends AgentReader {
  /** Begins sessions and appends to them. */
  writer(): Promise<NativeWriter<unknown>>;
  /** Copies a session, or its beginning, as a new one. */
  forker(): Promise<NativeForker>;
  /** `lines` for sessions that are files of lines, `rows` for sessions in a database. */
  repairer(): Promise<SessionRepairer>;
  /** The sessions that the agent's own list lacks. Left out where the rules of its list are not known. */
  visibility?(): Promise<AgentVisibility>;
  /** The sessions that the agent deletes by itself. Left out where it deletes none. */
  retention?(): Promise<AgentRetention>;
  /** The places that hold the path of a project. Left out where they are not known. */
  relocate?(): Promise<Relocate>;
  /** Left out for an agent that records nothing about the repository. `null` for a session without one. */
  repositoryOf?(found: FoundSession): Promise<RepositoryMarks | null>;
}

export type SessionRepairer =
  | { readonly of: "lines"; readonly repairer: NativeRepairer }
  | { readonly of: "rows"; readonly repairer: RowRepairer };
