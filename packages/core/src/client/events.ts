/**
 * Makes the events of `events()` from those of the log: a pure step, which knows the messages that were handed over
 * before.
 */

import type { Block } from "../model/index.ts";
import {
  type Attachment,
  authorOf,
  contentOf,
  isAddressedTo,
  isByServer,
  isByWriter,
  numberOr,
  type Participant,
  PERSON,
  recordOf,
  textOfContent,
  textOr,
  toMessageChange,
  type WireEvent,
} from "../wire/index.ts";

interface Base {
  /** The id of the event. A message has its messageId here, so that `replyTo: event.id` works. */
  readonly id: string;
  /** Position in the channel's log. */
  readonly sequence: number;
  /** The same as `sequence`. */
  readonly pubsubId: number;
  /** The handle of its author; `null` for the server. */
  readonly from: string | null;
  /** ISO 8601 UTC. */
  readonly timestamp: string | undefined;
  /** True if this handle wrote it. */
  readonly own: boolean;
  /** The kind of its author; `system` for the server, which also ends a message whose writer disappeared. */
  readonly kind: "person" | "agent" | "system";
  /**
   * The event addresses this handle: by `to`, `@handle`, a reply to its message, a call of its method, a reaction to
   * its message or the deletion of its message.
   */
  readonly addressed: boolean;
  /** True if the event addresses this handle, and was handed over before, but not committed. */
  readonly redelivered: boolean;
}

export interface MessageEvent extends Base {
  readonly type: "message";
  readonly messageId: string;
  /** The text. */
  readonly content: string;
  /** The whole content of a message that has more than text: text, tool calls, tool results and images. */
  readonly blocks?: readonly Block[];
  /** `open`: more of it comes as `update`, then `complete`. `interrupted`: its writer disappeared. */
  readonly state: "complete" | "open" | "interrupted";
  readonly to: readonly string[];
  readonly replyTo: string | undefined;
  readonly attachments: readonly Attachment[];
  /**
   * For a message of an agent that addresses this agent: how many messages agents have sent since the last message of a
   * person. This message is included.
   */
  readonly turns?: number;
}

export interface UpdateEvent extends Base {
  readonly type: "update";
  readonly messageId: string;
  /** The added text, or `undefined` when the text was replaced. */
  readonly delta: string | undefined;
  readonly content: string | undefined;
}

export interface CompleteEvent extends Base {
  readonly type: "complete";
  readonly messageId: string;
  /** The whole text. */
  readonly content: string;
  readonly blocks?: readonly Block[];
  readonly to: readonly string[];
  readonly replyTo: string | undefined;
  readonly attachments: readonly Attachment[];
  /**
   * For a message of an agent that addresses this agent: how many messages agents have sent since the last message of a
   * person. This message is included.
   */
  readonly turns?: number;
}

/** The author replaced the content of a message that had ended. */
export interface EditedEvent extends Base {
  readonly type: "edited";
  readonly messageId: string;
  readonly content: string;
  readonly blocks?: readonly Block[];
}

/** A message was hidden from everybody. `from` is the handle that deleted it. */
export interface DeletedEvent extends Base {
  readonly type: "deleted";
  readonly messageId: string;
  /** The handle of its author. */
  readonly author: string | null;
  /** The place of the message in the log. */
  readonly messageSequence: number | undefined;
  readonly reason: string | undefined;
}

/** `from` reacted to a message, or took the reaction back. */
export interface ReactionEvent extends Base {
  readonly type: "reaction";
  readonly change: "added" | "removed";
  readonly messageId: string;
  readonly reaction: string;
  /** The handle of the author of the message. */
  readonly author: string | null;
}

export interface ErrorEvent extends Base {
  readonly type: "error";
  readonly code: string;
  readonly message: string;
  /** The message that was interrupted, and its text so far; `undefined` for any other error. */
  readonly messageId: string | undefined;
  readonly content: string | undefined;
}

/** Presence is never stored, so it has no position in the log. */
export interface PresenceEvent extends Omit<Base, "sequence" | "pubsubId"> {
  readonly type: "presence";
  readonly sequence: undefined;
  readonly pubsubId: undefined;
  readonly change: "joined" | "left";
  readonly participant: Participant;
}

export interface MethodCallEvent extends Base {
  readonly type: "method_call";
  readonly callId: string;
  readonly to: string;
  readonly method: string;
  readonly args: unknown;
}

export interface MethodResultEvent extends Base {
  readonly type: "method_result";
  readonly callId: string;
  readonly value: unknown;
  readonly done: boolean;
}

export interface MethodCancelEvent extends Base {
  readonly type: "method_cancel";
  readonly callId: string;
  readonly reason: string;
}

export type ClientEvent =
  | MessageEvent
  | UpdateEvent
  | CompleteEvent
  | EditedEvent
  | DeletedEvent
  | ReactionEvent
  | ErrorEvent
  | PresenceEvent
  | MethodCallEvent
  | MethodResultEvent
  | MethodCancelEvent;

export interface Reader {
  readonly handle: string | null;
  /** The last processed and the last received sequence when the connection began. */
  readonly processed: number;
  readonly received: number;
}

/** The writer of each message whose beginning was handed over, by the id of the message. */
export type KnownMessages = ReadonlyMap<string, string | null>;

/**
 * `null` for an event that a reader does not receive: an event of an unknown type, or a part of a message whose
 * beginning the reader never received. The reader receives the whole of such a message when the message ends.
 */
export function toClientEvent(event: WireEvent, reader: Reader, known: KnownMessages): ClientEvent | null {
  const data = recordOf(event.data);
  const base = baseOf(event, reader);
  switch (event.type) {
    case "message_sent":
      return message(base, event, data.state === "open" ? "open" : "complete");
    case "message_streamed":
    case "message_updated":
      return update(base, event, known);
    case "message_completed":
      return ended(base, event, known);
    case "message_interrupted":
      return interrupted(base, event, known);
    case "error_raised":
      return {
        ...base,
        type: "error",
        code: textOr(data.code, "internal"),
        message: textOr(data.message, ""),
        messageId: undefined,
        content: undefined,
      };
    default:
      return event.pruned === undefined ? (change(base, event) ?? method(base, event)) : null;
  }
}

function change(base: Base, event: WireEvent): ClientEvent | null {
  const { messageId, handle, reason, messageSequence } = recordOf(event.data);
  const made = toMessageChange(event);
  if (typeof messageId !== "string" || made === null) return null;
  const author = textOr(handle, null);
  switch (made.type) {
    case "edited": {
      const { content, blocks } = made;
      return { ...base, type: "edited", messageId, content, ...(blocks === undefined ? {} : { blocks }) };
    }
    case "deleted":
      return {
        ...base,
        type: "deleted",
        messageId,
        author,
        messageSequence: numberOr(messageSequence, undefined),
        reason: textOr(reason, undefined),
      };
    case "reaction":
      return { ...base, ...made, from: base.from, messageId, author };
  }
}

function method(base: Base, event: WireEvent): ClientEvent | null {
  const { callId, to, method: name, args, value, done, reason } = recordOf(event.data);
  const id = textOr(callId, "");
  switch (event.type) {
    case "method_called":
      return { ...base, type: "method_call", callId: id, to: textOr(to, ""), method: textOr(name, ""), args };
    case "method_answered":
      return { ...base, type: "method_result", callId: id, value, done: done === true };
    case "method_cancelled":
      return { ...base, type: "method_cancel", callId: id, reason: textOr(reason, "") };
    default:
      return null;
  }
}

function baseOf(event: WireEvent, { handle, processed, received }: Reader): Base {
  const { id, sequence } = event;
  const addressed = handle !== null && isAddressedTo(event, handle);
  return {
    id,
    sequence,
    pubsubId: sequence,
    from: authorOf(event),
    kind: event.actor.kind,
    timestamp: event.occurredAt,
    own: handle !== null && authorOf(event) === handle,
    addressed,
    redelivered: addressed && sequence > processed && sequence <= received,
  };
}

function message(base: Base, event: WireEvent, state: MessageEvent["state"]): MessageEvent {
  const { content, to, replyTo, attachments, messageId } = recordOf(event.data);
  const id = event.type === "message_sent" ? event.id : textOr(messageId, event.id);
  return {
    ...base,
    id,
    type: "message",
    messageId: id,
    ...contentOf(content),
    state,
    to: Array.isArray(to) ? to : [],
    replyTo: typeof replyTo === "string" ? replyTo : undefined,
    attachments: Array.isArray(attachments) ? attachments : [],
    ...(event.turns === undefined ? {} : { turns: event.turns }),
  };
}

function update(base: Base, event: WireEvent, known: KnownMessages): UpdateEvent | null {
  const { messageId, delta, content } = recordOf(event.data);
  if (!isChange(event, messageId, known) || event.pruned !== undefined) return null;
  const isDelta = event.type === "message_streamed";
  return {
    ...base,
    type: "update",
    messageId,
    delta: isDelta ? textOr(delta, "") : undefined,
    content: isDelta ? undefined : textOfContent(content),
  };
}

function ended(base: Base, event: WireEvent, known: KnownMessages): ClientEvent | null {
  const { messageId } = recordOf(event.data);
  if (typeof messageId !== "string") return null;
  if (!known.has(messageId)) return message(base, event, "complete");
  if (!isChange(event, messageId, known)) return null;
  return toComplete(message(base, event, "complete"), event.id);
}

function toComplete({ state: _, ...whole }: MessageEvent, id: string): CompleteEvent {
  return { ...whole, id, type: "complete" };
}

/** The end of a message for a reader who was not given its beginning. */
export function toWholeMessage(event: CompleteEvent): MessageEvent {
  return { ...event, id: event.messageId, type: "message", state: "complete" };
}

function interrupted(base: Base, event: WireEvent, known: KnownMessages): ClientEvent | null {
  const { messageId, content, reason, handle } = recordOf(event.data);
  if (typeof messageId !== "string") return null;
  if (!isByServer(event)) return null;
  const from = textOr(handle, null);
  if (!known.has(messageId)) return message({ ...base, from }, event, "interrupted");
  return {
    ...base,
    type: "error",
    code: "interrupted",
    message: textOr(reason, "the writer disappeared"),
    messageId,
    content: textOfContent(content),
  };
}

function isChange(event: WireEvent, messageId: unknown, known: KnownMessages): messageId is string {
  const writer = known.get(messageId as string);
  return writer !== undefined && isByWriter(event, writer);
}

export function toPresenceEvent(
  change: PresenceEvent["change"],
  participant: Participant,
  reader: Reader,
): PresenceEvent {
  const { handle } = participant;
  return {
    type: "presence",
    id: `presence:${handle}`,
    sequence: undefined,
    pubsubId: undefined,
    from: handle,
    kind: participant.type === PERSON ? "person" : "agent",
    timestamp: undefined,
    own: handle === reader.handle,
    addressed: false,
    redelivered: false,
    change,
    participant,
  };
}
