/** One session: `GET /v1/machine/sessions/KEY`, and the events that are sent while it grows. */

import type { Leaf, SessionDetails, Severity, SubagentInfo } from "../../model/index.ts";
import type { WindowMessage } from "./history.ts";
import type { MachineSession } from "./list.ts";
import type { Outline } from "./outline.ts";

export interface MachineProblem {
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  readonly advice: string;
  /** The file, if it is not the session's own main file. */
  readonly file: string | null;
  readonly line: number | null;
}

/** A sub-agent, which has its own session below that of its parent. */
export interface SubagentHead extends Omit<SubagentInfo, "location"> {
  /** The key of the sub-agent in paths, like the key of a session. */
  readonly key: string;
}

type DetailsOfHead = Pick<
  SessionDetails,
  | "messages"
  | "toolCalls"
  | "records"
  | "unknownRecords"
  | "models"
  | "agentVersions"
  | "usage"
  | "forkedFrom"
>;

/** The value of `readOnly` for a page that was opened to read: that page cannot change anything. */
export const ONLY_READS = "This page may only read.";

/** The value of `readOnly` for a page that may also answer questions for permission. */
export const ONLY_ANSWERS = "This page may only read, and answer questions.";

/**
 * The result of a full read, which may take seconds for a session of 100 MB. The end of the session is available
 * before that (`HistoryWindow`).
 */
export interface SessionHead extends DetailsOfHead {
  readonly session: MachineSession;
  /** The file, or the place in the database. */
  readonly location: string;
  readonly costUsd: number | null;
  /** Ends of branches, the active one first, at most 500. */
  readonly branches: readonly Leaf[];
  /** At most 500; `problemCount` counts all. */
  readonly problems: readonly MachineProblem[];
  readonly problemCount: number;
  readonly subagents: readonly SubagentHead[];
  readonly parentKey: string | null;
  /**
   * The key of the session that was handed over to make this one; `null` if there is no such session, or it is gone.
   */
  readonly handedOverFrom?: string | null;
  /**
   * The reason why the session cannot be written to now, for example because it is open in its agent; `null` if it can
   * be written to.
   */
  readonly readOnly: string | null;
}

/**
 * `GET …/known`: what is known of a long session before it is read. `head` and `outline` are those of the last read,
 * and `null` if the session changed after that, or was never read.
 */
export interface KnownSession {
  readonly session: MachineSession;
  readonly head: SessionHead | null;
  /** The newest turns of the active branch. */
  readonly outline: Outline | null;
}

/**
 * Events of `GET /v1/machine/sessions/KEY/events?after=POSITION`, a stream of server-sent events:
 * - `messages`: new messages, and changed ones, which replace those with the same ids
 * - `reset`: the history was rewritten, or was read as a whole for the first time; read the window again
 * - `session`: the row changed
 * - `gone`: the session was deleted; the stream ends
 *
 * The id of an event of type `messages` or `reset` is the next position, so that a browser reconnects where it was.
 *
 * With `chat=include` the stream also has the events of the conversation (`ChatEvent`), named `chat-TYPE`.
 */
export type GrowthEvent =
  | { readonly type: "messages"; readonly messages: readonly WindowMessage[]; readonly position: string }
  | { readonly type: "reset"; readonly position: string }
  | { readonly type: "session"; readonly session: MachineSession }
  | { readonly type: "gone" };
