/**
 * The rules for changes of a message of a channel: which participants may make them, and which effect they have.
 * Servers, late readers and clients fold the log with these rules, so that all of them see the same text.
 */

import { type Block, present } from "../model/index.ts";
import { authorOf } from "./channel-address.ts";
import { recordOf, textOfContent, type WireEvent } from "./channel-events.ts";
import type { ChannelMessage, MessageReaction } from "./channel-views.ts";

/** Only the server interrupts a message. */
export function isByServer({ actor }: Pick<WireEvent, "actor">): boolean {
  return actor.kind === "system";
}

/**
 * Only the writer of a message may change it, and only the server may interrupt it. `writer` is `null` for a message
 * that was written without a handle. A deletion always counts, because the server accepts it only from the author of
 * the message or an administrator.
 */
export function isByWriter(event: Pick<WireEvent, "type" | "actor">, writer: string | null): boolean {
  if (event.type === "message_deleted") return true;
  return event.type === "message_interrupted" ? isByServer(event) : authorOf(event) === writer;
}

/** A line of the channel itself, such as why agents stopped. */
export interface SystemLine {
  readonly id: string;
  readonly sequence: number;
  readonly timestamp: string;
  readonly text: string;
}

export function toSystemMessage({ id: messageId, text: content, ...place }: SystemLine): ChannelMessage {
  return { messageId, ...place, handle: null, kind: "system", content, state: "complete" };
}

export interface MessageText {
  readonly text: string;
  readonly state: "open" | "complete" | "interrupted";
}

/** A message in progress after an event of its writer. */
export function messageAfter(text: string, { type, data }: Pick<WireEvent, "type" | "data">): MessageText {
  const { delta, content } = recordOf(data);
  const whole = content === undefined ? text : textOfContent(content);
  switch (type) {
    case "message_streamed":
      return { text: typeof delta === "string" ? text + delta : text, state: "open" };
    case "message_updated":
      return { text: whole, state: "open" };
    case "message_completed":
      return { text: whole, state: "complete" };
    case "message_interrupted":
      return { text: whole, state: "interrupted" };
    default:
      return { text, state: "open" };
  }
}

/**
 * The types of events that edit or delete a message, or react to it. A reaction also counts while the message is in
 * progress.
 */
export const CHANGE_TYPES = [
  "message_edited",
  "message_deleted",
  "reaction_added",
  "reaction_removed",
] as const;

/** The part of a message that changes after it was written. */
export interface ChangeableMessage {
  readonly handle: string | null;
  readonly content: string;
  readonly blocks?: readonly Block[];
  readonly state: "complete" | "open" | "interrupted" | "deleted";
  readonly editedAt?: string;
  readonly reactions?: readonly MessageReaction[];
}

/** An edit, a deletion or a reaction; `from` is the handle that made it. */
export type MessageChange =
  | {
      readonly type: "edited";
      readonly from: string | null;
      readonly timestamp: string | undefined;
      readonly content: string;
      readonly blocks?: readonly Block[];
    }
  | { readonly type: "deleted" }
  | {
      readonly type: "reaction";
      readonly from: string | null;
      readonly change: "added" | "removed";
      readonly reaction: string;
    };

/** `null` for an event of another type, or one whose payload was removed. */
export function toMessageChange(
  event: Pick<WireEvent, "type" | "actor" | "data" | "occurredAt" | "pruned">,
): MessageChange | null {
  const { content, reaction } = recordOf(event.data);
  const from = authorOf(event);
  if (event.pruned !== undefined) return null;
  switch (event.type) {
    case "message_edited":
      return { type: "edited", from, timestamp: event.occurredAt, ...contentOf(content) };
    case "message_deleted":
      return { type: "deleted" };
    case "reaction_added":
    case "reaction_removed": {
      if (typeof reaction !== "string") return null;
      return {
        type: "reaction",
        from,
        change: event.type === "reaction_added" ? "added" : "removed",
        reaction,
      };
    }
    default:
      return null;
  }
}

/**
 * A message after a change; the same object if the change has no effect: an edit by another participant, an edit or a
 * deletion of a message in progress, and every change of a deleted message.
 */
export function changedMessage<Message extends ChangeableMessage>(
  message: Message,
  change: MessageChange,
): Message {
  const { state, handle } = message;
  if (state === "deleted") return message;
  if (change.type === "reaction") return withReaction(message, change);
  if (state === "open") return message;
  if (change.type === "edited") {
    const { from, content, blocks, timestamp } = change;
    if (from !== handle) return message;
    const { blocks: _, ...rest } = message;
    return { ...rest, content, ...present({ blocks, editedAt: timestamp }) } as unknown as Message;
  }
  const { reactions: _reactions, blocks: _blocks, ...rest } = message;
  return { ...rest, content: "", state: "deleted" } as unknown as Message;
}

function withReaction<Message extends ChangeableMessage>(
  message: Message,
  { from, change, reaction }: Extract<MessageChange, { readonly type: "reaction" }>,
): Message {
  if (from === null) return message;
  const { reactions: before = [], ...rest } = message;
  const reactions = reactionsAfter(before, { change, reaction, handle: from });
  return (reactions.length === 0 ? rest : { ...rest, reactions }) as Message;
}

/** Returns the text of a content, and its blocks if the content is a list of blocks. */
export function contentOf(content: unknown): {
  readonly content: string;
  readonly blocks?: readonly Block[];
} {
  return { content: textOfContent(content), ...blocksIn(content) };
}

/** Returns the blocks of a content that is a list of blocks. */
export function blocksIn(content: unknown): { readonly blocks?: readonly Block[] } {
  return Array.isArray(content) ? { blocks: content as readonly Block[] } : {};
}

interface ReactionChange {
  readonly change: "added" | "removed";
  readonly reaction: string;
  readonly handle: string;
}

function reactionsAfter(
  reactions: readonly MessageReaction[],
  { change, reaction, handle }: ReactionChange,
): readonly MessageReaction[] {
  const known = reactions.find((one) => one.reaction === reaction);
  if (change === "removed") {
    return reactions
      .map((one) => (one === known ? { ...one, handles: one.handles.filter((who) => who !== handle) } : one))
      .filter(({ handles }) => handles.length > 0);
  }
  if (known === undefined) return [...reactions, { reaction, handles: [handle] }];
  if (known.handles.includes(handle)) return reactions;
  return reactions.map((one) => (one === known ? { ...one, handles: [...one.handles, handle] } : one));
}
