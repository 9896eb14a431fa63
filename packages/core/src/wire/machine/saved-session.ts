/** A session in a file of its own (`continuo view ID --output FILE`): the answers that the viewer otherwise requests. */

import type { ChangesAnswer, FileChanges } from "./changes.ts";
import type { WindowMessage } from "./history.ts";
import type { Outline } from "./outline.ts";
import type { SessionHead } from "./session.ts";

export interface SavedSession {
  readonly savedAt: string;
  readonly head: SessionHead;
  /** The outline of the turns that the page holds. */
  readonly outline: Outline;
  /** All messages in order, cut as in windows, with the bytes of the images that are shown. */
  readonly messages: readonly WindowMessage[];
  /** The complete texts of what is cut in `messages`. */
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
