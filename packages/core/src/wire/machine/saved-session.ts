/** A session inside a page of its own: `continuo view ID --output FILE`. The answers that the viewer would ask a server for. */

import type { ChangesAnswer, FileChanges } from "./changes.ts";
import type { WindowMessage } from "./history.ts";
import type { Outline } from "./outline.ts";
import type { SessionHead } from "./session.ts";

export interface SavedSession {
  readonly savedAt: string;
  readonly head: SessionHead;
  /** The outline of the turns that the page holds. */
  readonly outline: Outline;
  /** In their order, cut as in windows, and with the bytes of images that can be shown. */
  readonly messages: readonly WindowMessage[];
  /** The texts that are cut, whole. */
  readonly texts: readonly SavedText[];
  readonly changes: ChangesAnswer;
  readonly files: readonly FileChanges[];
}

export interface SavedText {
  readonly messageId: string;
  readonly path: string;
  readonly text: string;
}

/** The element of the page that the session is in, as JSON. */
export const SAVED_ELEMENT = "saved-session";
