/** Checks events that clients append to the log of a channel without a WebSocket: the rules of frames apply to them. */

import {
  ContinuoError,
  EVENT_TYPES,
  isContinuoError,
  type NewEvent,
  present,
  type Store,
} from "@continuo/core/model";
import { ANCHOR_TYPES, type Attachment, CHANGE_TYPES, isRecord, parseClientFrame } from "@continuo/core/wire";
import { authorOfMessage } from "./sent-messages.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Returns the fields of the frame that would make this event; `null` for an event that no frame makes. */
type ToFrame = (data: Fields) => Fields | null;

const FRAMES: Readonly<Record<string, ToFrame>> = {
  message_sent: ({ content, state, to, replyTo, attachments }) => ({
    type: "send",
    content,
    state,
    to,
    replyTo,
    attachments,
  }),
  method_called: ({ to, method, args }) => ({ type: "call", to, method, args }),
  method_answered: ({ callId, value, done }) => ({ type: "answer", callId, value, done }),
  method_cancelled: ({ callId, reason }) => ({ type: "cancel", callId, reason }),
};

/** The author of these events must be connected, so that others learn when the author is gone. */
const PARTS: ReadonlySet<string> = new Set(["message_streamed", "message_updated", "message_completed"]);
/** Only the server appends these events, after it has checked that the sender may change the message. */
const CHANGES: ReadonlySet<string> = new Set(CHANGE_TYPES);
/** The meaning of these types is that of Continuo: an event of any other type is the program's own. */
const KNOWN: ReadonlySet<string> = new Set([...Object.keys(EVENT_TYPES), ...ANCHOR_TYPES]);
/** No frame sets these fields: another time, place or run of an event would be made up. */
const OF_ADMINISTRATORS = ["occurredAt", "parentId", "runId"] as const;
/** The server adds these fields to the data of a client. */
const OF_THE_SERVER = ["writer", "replyToHandle"] as const;
/** The key of the payload that repeats the id of the event. */
const ID_KEYS: Fields = { message_sent: "messageId", method_called: "callId" };

/**
 * Returns the events as they are stored. Errors: `invalid`, `too_large`; `forbidden` for a part or a change of a
 * message; `not_found` for the message that a reply names.
 */
export async function checkPosted(
  store: Store,
  channel: string,
  events: readonly NewEvent[],
): Promise<readonly NewEvent[]> {
  const checked: NewEvent[] = [];
  for (const [index, event] of events.entries()) {
    try {
      checked.push(await checkOne(store, channel, event));
    } catch (error) {
      if (!isContinuoError(error)) throw error;
      const { code, message, hint, details } = error;
      throw new ContinuoError(code, message, present({ hint, details: { ...details, index }, cause: error }));
    }
  }
  return checked;
}

/**
 * Checks that a participant may write these events: those that a frame makes, with the fields of a frame, and events of
 * the program's own types. Errors: `forbidden`.
 */
export function assertByParticipant(events: readonly NewEvent[]): void {
  for (const [index, event] of events.entries()) {
    const { type, data } = event;
    const isOwn = type === "custom" || !KNOWN.has(type);
    // `checkPosted` refuses parts and changes of messages, and says where they are sent.
    if (!isOwn && !Object.hasOwn(FRAMES, type) && !PARTS.has(type) && !CHANGES.has(type)) {
      throw administered(`write an event of the type ${type} to a channel`, { type, index });
    }
    const field = OF_ADMINISTRATORS.find((key) => event[key] !== undefined);
    if (field !== undefined) throw administered(`set ${field} of an event of a channel`, { type, index });
    if (isOwn || !isRecord(data) || data.role === undefined) continue;
    throw administered("set the role of a message of a channel", { type, index });
  }
}

async function checkOne(store: Store, channel: string, event: NewEvent): Promise<NewEvent> {
  const { type, data, id = "new" } = event;
  const fields = isRecord(data) ? data : {};
  if (CHANGES.has(type)) throw change(type);
  if (PARTS.has(type) || (type === "message_sent" && fields.state !== undefined)) throw part(type);
  const toFrame = Object.hasOwn(FRAMES, type) ? FRAMES[type] : undefined;
  if (toFrame === undefined) return event;
  if (!isRecord(data)) throw invalid(`the data of ${type} must be an object`);
  const own = OF_THE_SERVER.find((key) => data[key] !== undefined);
  if (own !== undefined) throw invalid(`only the server can write ${own}`);
  const idKey = ID_KEYS[type];
  if (typeof idKey === "string" && data[idKey] !== undefined && data[idKey] !== event.id) {
    throw invalid(`${idKey} must be the id of the event`);
  }
  parseClientFrame(JSON.stringify({ ...toFrame(data), request: 0, id }));
  if (type !== "message_sent") return event;
  return await withReply(store, channel, withAttachments(event, data));
}

function withAttachments(event: NewEvent, { attachments }: Fields): NewEvent {
  if (attachments === undefined) return event;
  const blobs = (attachments as readonly Attachment[]).map(({ blob }) => blob);
  return { ...event, blobs: [...new Set([...(event.blobs ?? []), ...blobs])] };
}

async function withReply(store: Store, channel: string, event: NewEvent): Promise<NewEvent> {
  const { replyTo } = event.data as Fields;
  if (typeof replyTo !== "string") return event;
  const replyToHandle = await authorOfMessage(store, channel, replyTo);
  return { ...event, data: { ...(event.data as Fields), replyToHandle } };
}

function administered(
  what: string,
  details: { readonly type: string; readonly index: number },
): ContinuoError {
  return new ContinuoError("forbidden", `only a token with \`admin\` can ${what}`, {
    hint: "Send messages to /v1/channels/NAME/messages, or over the WebSocket of the channel.",
    details,
  });
}

function part(type: string): ContinuoError {
  return new ContinuoError("forbidden", "only a connected participant can write a message in parts", {
    hint: "Send the message as one `message_sent`, or over the WebSocket of the channel.",
    details: { type },
  });
}

function change(type: string): ContinuoError {
  return new ContinuoError("forbidden", `an event of the type ${type} cannot be appended to a channel`, {
    hint: "Use /v1/channels/NAME/messages/ID, or the WebSocket of the channel.",
    details: { type },
  });
}

function invalid(message: string): ContinuoError {
  return new ContinuoError("invalid", message, { hint: "Read PROTOCOL.md for the fields of each frame." });
}
