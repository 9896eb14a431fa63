/** The port for forks of an agent's sessions. */

import type { AgentName, Message } from "@continuo/core/model";
import type { Json } from "@continuo/files";
import type { FoundSession, OpenedSession } from "../kit/index.ts";
import type { Makers, NewSession } from "../writing/index.ts";

/** The session that is forked. */
export interface ForkSource {
  readonly found: FoundSession;
  readonly opened: OpenedSession;
  /** From the root to the end of the branch that is forked. */
  readonly history: readonly Message[];
  /** The number of messages of the history that the fork has. */
  readonly count: number;
  /** `whole`: no cut was requested. */
  readonly part: "whole" | "beginning";
}

export interface Fork {
  /** Lines, or rows where the agent keeps a database. */
  readonly records: readonly Json[];
  /** At least the count of the source, because records that depend on the last message are copied too. */
  readonly count: number;
}

export interface NativeForker {
  readonly agent: AgentName;
  /**
   * Returns the agent's title for a fork of a session with this title; `null` if a fork has no title of its
   * own.
   */
  titleOf(title: string): string | null;
  /** Errors: `unsupported` for a session that cannot be forked. */
  fork(source: ForkSource, session: NewSession, makers: Makers): Promise<Fork>;
}
