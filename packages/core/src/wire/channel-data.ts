/**
 * The `data` of each event of a channel, as this protocol writes it. Events of other writers may hold more or less: a
 * reader uses the id of the event if `messageId` or `callId` is missing.
 */

import type { Block } from "../model/index.ts";
import type { Hash, Id, MessageText, Name, Reaction, Sequence } from "./scalars.ts";

/** A blob of the workspace that a message refers to. */
export interface Attachment {
  readonly blob: Hash;
  /** @maxLength idLength */
  readonly mimeType: string;
  /** @maxLength idLength */
  readonly name?: string;
}

/** `message_sent`: a whole message, or the beginning of one. */
export interface MessageSent {
  /** The id of the event; missing if another program wrote the event. */
  readonly messageId?: Id;
  readonly content: MessageText | readonly Block[];
  readonly to?: readonly Name[];
  readonly replyTo?: Id;
  /** The author of the message that it replies to; the server writes it. */
  readonly replyToHandle?: string;
  /** More of the message follows. */
  readonly state?: "open";
  /** The `instance` of the client that writes a message in progress; the server writes it. */
  readonly writer?: Id;
  readonly attachments?: readonly Attachment[];
}

/** `message_streamed`: a part that is added to the text so far. */
export interface MessageStreamed {
  readonly messageId: Id;
  readonly delta: MessageText;
}

/** `message_updated`: this is the whole text of the message so far. */
export interface MessageUpdated {
  readonly messageId: Id;
  readonly content: MessageText;
}

/** `message_completed`: the end of a message, which repeats the fields of its beginning. */
export interface MessageCompleted {
  readonly messageId: Id;
  /** The whole text, or blocks that have it. */
  readonly content: MessageText | readonly Block[];
  readonly to?: readonly Name[];
  readonly replyTo?: Id;
  readonly replyToHandle?: string;
  readonly attachments?: readonly Attachment[];
}

/** `message_interrupted`: the server ended a message whose writer is gone. The actor is the system. */
export interface MessageInterrupted {
  readonly messageId: Id;
  /** The text so far. */
  readonly content: string;
  readonly reason: string;
  /** The author of the message. */
  readonly handle: Name;
  readonly to?: readonly Name[];
  readonly replyTo?: Id;
  readonly replyToHandle?: string;
  readonly attachments?: readonly Attachment[];
}

/** `message_edited`: the new content of a message that had ended. It repeats the addressees of the message. */
export interface MessageEdited {
  readonly messageId: Id;
  readonly content: MessageText | readonly Block[];
  readonly to?: readonly Name[];
  readonly replyTo?: Id;
  readonly replyToHandle?: string;
  readonly attachments?: readonly Attachment[];
}

/** `message_deleted`: the message was hidden from everybody. The actor is its author, or an administrator. */
export interface MessageDeleted {
  readonly messageId: Id;
  /** The author of the message; the server writes it. */
  readonly handle: string;
  /** The place of the message in the log; the server writes it. */
  readonly messageSequence: Sequence;
  readonly reason?: string;
}

/** `reaction_added`: the actor reacted to a message. */
export interface ReactionAdded {
  readonly messageId: Id;
  /** The author of the message; the server writes it. */
  readonly handle: string;
  readonly reaction: Reaction;
}

/** `reaction_removed`: the actor removed a reaction. */
export interface ReactionRemoved {
  readonly messageId: Id;
  readonly handle: string;
  readonly reaction: Reaction;
}

/** `method_called` */
export interface MethodCalled {
  readonly callId: Id;
  readonly to: Name;
  readonly method: Id;
  readonly args: unknown;
}

/** `method_answered`: counts only if the participant that was called wrote it. */
export interface MethodAnswered {
  readonly callId: Id;
  readonly value: unknown;
  /** `true` for the last result. */
  readonly done: boolean;
}

/** `method_cancelled` */
export interface MethodCancelled {
  readonly callId: Id;
  readonly reason: string;
}

/** `error_raised` */
export interface ErrorRaised {
  readonly message: string;
  readonly code?: string;
}
