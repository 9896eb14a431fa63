/** The loaded part of a channel as a value, and its changes: windows from the end, and new events. Pure. */

import {
  CHAT_LIST_LIMITS,
  type ChannelMessage,
  changedMessage,
  type MessagesWindow,
  type SystemLine,
} from "../wire/index.ts";
import type { ClientEvent } from "./events.ts";

/** The text of an unfinished message, up to this event. */
interface OpenText {
  readonly text: string;
  readonly through: number;
}

export interface Channel {
  /** A piece of the channel without gaps, in order. An unfinished message has only its beginning here. */
  readonly messages: readonly ChannelMessage[];
  readonly notices: readonly SystemLine[];
  /** The present texts of unfinished messages. */
  readonly open: ReadonlyMap<string, OpenText>;
  readonly hasOlder: boolean;
  /** Newer messages were left out to keep the loaded part small. */
  readonly hasNewer: boolean;
}

export const EMPTY_CHANNEL: Channel = {
  messages: [],
  notices: [],
  open: new Map(),
  hasOlder: false,
  hasNewer: false,
};

/** Messages that are loaded at the same time. */
export const MOST_LOADED: number = CHAT_LIST_LIMITS.mostMessages;
const MOST_NOTICES = 50;

export function foldWindow(
  channel: Channel,
  { messages, sequence, hasOlder }: MessagesWindow,
  place: "instead" | "older",
): Channel {
  const open = new Map(place === "older" ? channel.open : []);
  for (const { messageId, state, content } of messages) {
    if (state === "open" && !open.has(messageId)) open.set(messageId, { text: content, through: sequence });
  }
  if (place === "instead") return { ...channel, messages, open, hasOlder, hasNewer: false };
  const known = new Set(channel.messages.map(({ messageId }) => messageId));
  const all = [...messages.filter(({ messageId }) => !known.has(messageId)), ...channel.messages];
  const kept = all.slice(0, MOST_LOADED);
  return {
    ...channel,
    messages: kept,
    open,
    hasOlder,
    hasNewer: channel.hasNewer || kept.length < all.length,
  };
}

/** Folding an event a second time changes nothing. */
export function foldEvent(channel: Channel, event: ClientEvent): Channel {
  switch (event.type) {
    case "message":
      return event.state === "open" ? withBegun(channel, event) : withWhole(channel, event, event.state);
    case "update":
      return withUpdate(channel, event);
    case "complete":
      return withWhole(channel, event, "complete");
    case "edited":
    case "deleted":
    case "reaction":
      return withChange(channel, event);
    case "error":
      return event.messageId === undefined ? withNotice(channel, event) : withInterrupted(channel, event);
    default:
      return channel;
  }
}

type Event<Type extends ClientEvent["type"]> = Extract<ClientEvent, { readonly type: Type }>;

function withBegun(channel: Channel, event: Event<"message">): Channel {
  const { messageId, sequence = 0, content } = event;
  if (knownIn(channel, messageId) !== undefined) return channel;
  const next = withMessage(channel, toShown(event, "open"));
  if (next === channel) return channel;
  return { ...next, open: new Map(next.open).set(messageId, { text: content, through: sequence }) };
}

function withUpdate(channel: Channel, { messageId, sequence = 0, delta, content }: Event<"update">): Channel {
  const known = channel.open.get(messageId);
  if (known === undefined || sequence <= known.through) return channel;
  const text = content ?? known.text + (delta ?? "");
  return { ...channel, open: new Map(channel.open).set(messageId, { text, through: sequence }) };
}

function withWhole(
  channel: Channel,
  event: Event<"message"> | Event<"complete">,
  state: "complete" | "interrupted",
): Channel {
  const known = knownIn(channel, event.messageId);
  if (known === undefined) return withMessage(channel, toShown(event, state));
  const { content, blocks } = event;
  return replaced(channel, { ...known, content, ...(blocks === undefined ? {} : { blocks }), state });
}

function withChange(
  channel: Channel,
  event: Event<"edited"> | Event<"deleted"> | Event<"reaction">,
): Channel {
  const { messageId } = event;
  const known = knownIn(channel, messageId);
  const changed = known === undefined ? undefined : changedMessage(known, event);
  if (changed === undefined || changed === known) return channel;
  return { ...channel, messages: channel.messages.map((one) => (one === known ? changed : one)) };
}

function withInterrupted(channel: Channel, { messageId, content }: Event<"error">): Channel {
  const known = knownIn(channel, messageId);
  if (known === undefined) return channel;
  const text = content ?? channel.open.get(known.messageId)?.text ?? known.content;
  return replaced(channel, { ...known, content: text, state: "interrupted" });
}

function knownIn({ messages }: Channel, messageId: string | undefined): ChannelMessage | undefined {
  return messages.find((one) => one.messageId === messageId);
}

function replaced(channel: Channel, message: ChannelMessage): Channel {
  const { messageId } = message;
  const messages = channel.messages.map((one) => (one.messageId === messageId ? message : one));
  const open = new Map(channel.open);
  open.delete(messageId);
  return { ...channel, messages, open };
}

/**
 * Inserts the message by its sequence. It adds nothing after the loaded part if newer messages were left out, and
 * nothing before that part if older messages are not loaded, because there would be a gap.
 */
function withMessage(channel: Channel, message: ChannelMessage): Channel {
  const { messages, hasNewer, hasOlder } = channel;
  const after = messages.findLastIndex(({ sequence }) => sequence < message.sequence);
  if (after === messages.length - 1 && hasNewer) return channel;
  if (after === -1 && messages.length > 0 && hasOlder) return channel;
  const all = [...messages.slice(0, after + 1), message, ...messages.slice(after + 1)];
  const kept = all.slice(-MOST_LOADED);
  return { ...channel, messages: kept, hasOlder: hasOlder || kept.length < all.length };
}

function withNotice(channel: Channel, event: Event<"error">): Channel {
  const { id, sequence = 0, timestamp = "", message } = event;
  if (channel.notices.some((one) => one.sequence === sequence)) return channel;
  const notices = [...channel.notices, { id, sequence, timestamp, text: message }].slice(-MOST_NOTICES);
  return { ...channel, notices };
}

function toShown(
  {
    messageId,
    sequence = 0,
    from,
    kind,
    content,
    timestamp = "",
    to,
    replyTo,
    blocks,
  }: Event<"message"> | Event<"complete">,
  state: ChannelMessage["state"],
): ChannelMessage {
  const message = { messageId, sequence, handle: from, kind, content, timestamp, state };
  return {
    ...message,
    ...(to.length === 0 ? {} : { to }),
    ...(replyTo === undefined ? {} : { replyTo }),
    ...(blocks === undefined ? {} : { blocks }),
  };
}
