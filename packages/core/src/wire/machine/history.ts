/** A part of a session's history: `GET /v1/machine/sessions/KEY/history`. */

import type { Message } from "../../model/index.ts";

/** `model`: the messages that the agent would send to its model on the next resume, after compactions. */
export type HistoryView = "history" | "model";

/**
 * A window of messages, in order. The query:
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
   * The value for `events?after=`. `null` if only the end was read: then leave `after` out. The first event is then
   * `reset`, as soon as everything was read, because ids may differ from those of a partial read.
   */
  readonly position: string | null;
}

export interface WindowMessage {
  /**
   * A message of a transcript without some fields: it has no `native`, no `toolInput` and no `toolOutput` (the call and
   * the result have them), and no bytes; of `metadata` it has only `records`, and in Continuo's own sessions
   * `sequence`; of a result's `details` only `structuredPatch`. The `url` of an image that can be shown is the path of
   * its bytes on this server; no other `url` begins with `/`.
   */
  readonly message: Message;
  /** 0-based place in the history; `null` if only the end was read. */
  readonly index: number | null;
  /**
   * The turn: the id of the message that the turn begins with, and its 1-based number. If only the end was read, there
   * is no number, and a turn that began earlier has the id of the first message that was read.
   */
  readonly turnId: string;
  readonly turn: number | null;
  readonly costUsd: number | null;
  /** Texts of which `message` has only a part. */
  readonly cuts: readonly TextCut[];
}

export interface TextCut {
  /** The place of the text in `message`: `content/0/content/1/text`, `content/0/args/content`. */
  readonly path: string;
  /** The number of UTF-16 units in `message`, and the number in the whole text. */
  readonly kept: number;
  readonly total: number;
}

/** `GET …/messages/MESSAGE/text?path=PATH&from=0`: the rest of a text, at most 256 Ki units in one answer. */
export interface TextRest {
  readonly text: string;
  readonly from: number;
  readonly total: number;
}
