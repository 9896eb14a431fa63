/**
 * Drafts: messages before their content is read. A draft names its records and the draft before it. Drafts form a tree, because a
 * rollback, a revert and a fork leave a path and continue from a point of it. Pure.
 */

import type { LinePlace } from "@continuo/files/records";

/** The place of a record; `file` counts the files of the lineage, in the order in which they were read. */
export interface Slot extends LinePlace {
  readonly file: number;
}

/**
 * - `message`: a text of the person, the developer or the program; `assistant`: the items of one response;
 *   `output`: one tool result; `other`: an item that is not part of the conversation
 * - `summary`: a compaction
 * - `shown`: text that only the interface received; `error`: how a turn failed
 * - `header`: a second header in a paginated file
 */
export type DraftKind =
  | "message"
  | "assistant"
  | "output"
  | "other"
  | "summary"
  | "shown"
  | "error"
  | "header";

export interface MessageDraft {
  readonly kind: DraftKind;
  readonly parent: MessageDraft | null;
  readonly role: "system" | "user" | "assistant" | "tool";
  slots: Slot[];
  /** True if the person typed the message. */
  readonly typed: boolean;
  readonly model: string | null;
  readonly turnId: string | null;
  /** The call that an output answers. */
  readonly callId: string | null;
  /**
   * Tells whether the id of the first record with a native id belongs only to this draft, or also to an earlier record.
   */
  nativeId: "none" | "own" | "repeated";
  /** True if the model's copy has the same text, so that this does not count as another message. */
  hidden: boolean;
  interrupted: boolean;
  calls: number;
}

/** From the root to `leaf`, in order. */
export function pathTo(leaf: MessageDraft | null): MessageDraft[] {
  const path: MessageDraft[] = [];
  for (let draft = leaf; draft !== null; draft = draft.parent) if (!draft.hidden) path.push(draft);
  return path.reverse();
}

/**
 * The message before the n-th prompt from the end, and before the messages that were injected for that prompt; `null`
 * if that prompt is the first message. Seen in 0.169.0, which also counts back over a compaction.
 */
export function beforeTyped(leaf: MessageDraft | null, count: number): MessageDraft | null {
  let left = count;
  let draft = leaf;
  for (; draft !== null && left > 0; draft = draft.parent) if (isTurn(draft)) left -= 1;
  while (draft?.kind === "message" && draft.role === "user" && !draft.typed) draft = draft.parent;
  return draft;
}

function isTurn(draft: MessageDraft): boolean {
  return draft.typed && draft.kind === "message";
}
