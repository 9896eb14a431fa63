/** A part of a session's history: `GET /v1/machine/sessions/KEY/history`. */

import type { Message } from "../../model/index.ts";

/** `model`: what the agent's model would be sent on the next resume, compaction applied. */
export type HistoryView = "history" | "model";

/**
 * A window of messages in their order. The query:
 * - none: the newest messages
 * - `before=MESSAGE` or `after=MESSAGE`: those before, or after, the message with this id
 * - `around=MESSAGE` or `around=turn:NUMBER`: the message (or the turn's first one) with some before it
 * - `limit`: 1 to 500 messages, 100 by default; an answer also ends at about 2 MB
 * - `view`: `history` (default) or `model`; `branch`: the id of a leaf
 */
export interface HistoryWindow {
  readonly messages: readonly WindowMessage[];
  /** True if there are messages before the first one; `hasNewer`: after the last one. */
  readonly hasOlder: boolean;
  readonly hasNewer: boolean;
  /** Messages in this history; `null` if only its end was read. */
  readonly total: number | null;
  readonly turns: number | null;
  /**
   * The value for `events?after=`. `null` if only the end was read: leave `after` out then. The first event is `reset`
   * in that case, as soon as all was read: ids may differ from those of a partial read.
   */
  readonly position: string | null;
}

export interface WindowMessage {
  /**
   * The message of a transcript without some fields: no `native`, no `toolInput` and `toolOutput` (the call and the result have them), of
   * `metadata` only `records` and, of Continuo's own sessions, `sequence`, of a result's `details` only `structuredPatch`, no bytes. An image that can be shown has as `url` the path of its bytes on this
   * server; no other `url` begins with `/`.
   */
  readonly message: Message;
  /** 0-based place in the history; `null` if only the end was read. */
  readonly index: number | null;
  /**
   * The turn: the id of the message that it begins with, and its 1-based number. Where only the end was read, there is no
   * number, and a turn that began before has the id of the first message that was read.
   */
  readonly turnId: string;
  readonly turn: number | null;
  readonly costUsd: number | null;
  /** Texts that are longer than the part in `message`. */
  readonly cuts: readonly TextCut[];
}

export interface TextCut {
  /** The place of the text in `message`: `content/0/content/1/text`, `content/0/args/content`. */
  readonly path: string;
  /** UTF-16 units that are in `message`, and of all. */
  readonly kept: number;
  readonly total: number;
}

/** `GET …/messages/MESSAGE/text?path=PATH&from=0`: the rest of a text, at most 256 Ki units in one answer. */
export interface TextRest {
  readonly text: string;
  readonly from: number;
  readonly total: number;
}
