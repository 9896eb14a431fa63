/** The types of a witness, which is an agent's program that reads a session back: its input and its testimony. */

import type { Message } from "@continuo/core/model";
import type { Places } from "@continuo/files";

/** The start of a program in a private home. */
export interface ProgramStart {
  /** The command that starts the agent. */
  readonly program: readonly string[];
  /** The search path of the person, because the agent itself needs it to start. */
  readonly searchPath: string;
  /** The private home; everything that is written is below it. */
  readonly scratch: string;
  /** An empty project below the private home, in which the staged session works. */
  readonly project: string;
  readonly signal: AbortSignal | undefined;
}

export interface StagedSession extends ProgramStart {
  readonly file: string;
  readonly home: Places;
  readonly sessionId: string;
  /** The person's folder of caches, where a program may have unpacked itself. */
  readonly cache: string;
}

export type Testimony = CompleteTestimony | SpokenTestimony;

/** The session as the agent itself reads it. */
export interface CompleteTestimony {
  /** The agent and the way in which it was asked. */
  readonly by: string;
  readonly depth: "all";
  readonly history: readonly Message[];
}

/** The visible words of both sides, as the agent shows them to the person. */
export interface SpokenTestimony {
  readonly by: string;
  readonly depth: "words";
  /**
   * The part of a compacted session that it covers: the whole `history`, the history without the agent's own
   * summaries, or only the part that its model receives.
   */
  readonly covers: "history" | "history without summaries" | "model view";
  /** Matches the parts of a message's text that the agent shows in place of something else, or leaves out. */
  readonly unspoken: RegExp;
  readonly messages: readonly Pick<Message, "role" | "content">[];
}

/** Errors: `verification_failed` if the agent does not find or read the session. */
export type Witness = (staged: StagedSession) => Promise<Testimony>;
