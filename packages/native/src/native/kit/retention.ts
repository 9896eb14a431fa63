/** The types of an agent's rules about the sessions that it deletes by itself. */

import type { SessionInfo } from "@continuo/core/model";
import type { FoundSession, Places, SkimMemo } from "./port.ts";

/** A session with its row. */
export interface FoundRow {
  readonly found: FoundSession;
  readonly info: Pick<SessionInfo, "updatedAt" | "cwd" | "title">;
}

/** The moment from which the agent may delete a session by itself. */
export interface SessionEnd {
  /** Milliseconds since 1970; a time in the past means the next start of the agent. */
  readonly atMs: number;
  /** The rule, as a sentence without a full stop. */
  readonly rule: string;
}

/** A file of a session that comes back. */
export interface RestoredFile {
  readonly sessionId: string;
  readonly path: string;
  /** Its bytes, made piece by piece at each access: a session may be larger than memory. */
  pieces(): Iterable<Buffer>;
  /** It is the one that the session's location names. */
  readonly isMain: boolean;
}

/** The agent's own setting that decides how long sessions stay. */
export interface RetentionSetting {
  /** The person's file of settings, as JSON. */
  readonly path: string;
  /** The keys that lead to the value. */
  readonly keys: readonly string[];
  /** A value with which nothing is deleted because of its age. */
  readonly keepsAll: number | boolean;
}

/** Rules of an agent that deletes sessions without being asked to. Reading them starts nothing and writes nothing. */
export interface AgentRetention {
  /** A sentence with what is deleted and by which setting; `null` if the present settings delete nothing. */
  rule(places: Places): string | null;
  /** The end of each session by its location; a session that no rule deletes is missing. */
  endsOf(
    sessions: readonly FoundRow[],
    places: Places,
    memo?: SkimMemo,
  ): Promise<ReadonlyMap<string, SessionEnd>>;
  /** Files and folders that the agent deletes with the session, besides those of `trashPlan`. */
  beside(found: FoundSession, places: Places): readonly string[];
  /**
   * A file of a restored session in a form that the next sweep keeps; its time stamp is always new. `null` for a file
   * whose deletion would also delete the session.
   */
  renewed(file: RestoredFile, nowMs: number): RestoredFile | null;
  setting(places: Places): RetentionSetting;
}
