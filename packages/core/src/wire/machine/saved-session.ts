/**
 * The content of a page with a session inside (`continuo session export --format html`): the answers that the viewer
 * otherwise requests from a server.
 */

import type { SessionFacts } from "../../model/index.ts";
import type { SessionBranches } from "./branches.ts";
import type { ChangesAnswer, FileChanges } from "./changes.ts";
import type { WindowMessage } from "./history.ts";
import type { Outline } from "./outline.ts";
import type { SessionHead } from "./session.ts";

export interface SavedPage {
  readonly savedAt: string;
  /** Sentences that say what the page contains and what is missing. */
  readonly notes: readonly string[];
  /** The session, then its sub-agents. */
  readonly sessions: readonly SavedSession[];
}

export interface SavedSession {
  readonly head: SessionHead;
  /** `null` if the page has only one branch. */
  readonly branches: SessionBranches | null;
  /** The history that is shown first, then those of the other branches. */
  readonly histories: readonly SavedHistory[];
}

export interface SavedHistory {
  /** The id of its leaf; `null` for the history that is shown first. */
  readonly branch: string | null;
  /** The outline of the turns that the page holds. */
  readonly outline: Outline;
  /** The facts of these turns. */
  readonly facts: SessionFacts;
  /** The number of first messages that are the same as in the first history, and therefore not in `messages`. */
  readonly shared: number;
  /** The other messages in order, cut as in windows, with the bytes of the shown images. */
  readonly messages: readonly WindowMessage[];
  /** The complete texts of those that are cut in `messages`. */
  readonly texts: readonly SavedText[];
  readonly changes: ChangesAnswer;
  readonly files: readonly FileChanges[];
}

export interface SavedText {
  readonly messageId: string;
  readonly path: string;
  readonly text: string;
}

/** The id of the page's element that contains the session as JSON. */
export const SAVED_ELEMENT = "saved-session";
