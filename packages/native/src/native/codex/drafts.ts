/**
 * Messages before their content is read: which records each is made of, and which comes before it. They
 * form a tree, because a rollback, a revert and a fork leave a path and continue from a point of it. Pure.
 */

import type { LinePlace } from "@continuo/files/records";

/** The place of a record; `file` counts the files of the lineage, in the order in which they were read. */
export interface Slot extends LinePlace {
  readonly file: number;
}

/**
 * - `message`: a text of the person, the developer or the program; `assistant`: the items of one response;
 *   `output`: one tool result; `other`: an item that is no conversation
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
  /** Typed by the person. */
  readonly typed: boolean;
  readonly model: string | null;
  readonly turnId: string | null;
  /** The call that an output answers. */
  readonly callId: string | null;
  /** Tells if the id of the first record with a native id is its own, or stands on an earlier record too. */
  nativeId: "none" | "own" | "repeated";
  /** Its text stands in the model's copy too: no message of its own. */
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
 * The message before the n-th last thing that the person typed, and before what was injected for it; `null`
 * where that is the first of all. Seen in 0.169.0, which also counts back over a compaction.
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
