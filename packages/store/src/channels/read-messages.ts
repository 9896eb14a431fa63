/** Reads a channel for readers that join late: whole messages, and the newest anchor. */

import { present, type Store, type StoredEvent } from "@continuo/core/model";
import {
  ANCHOR_TYPES,
  authorOf,
  blocksIn,
  CHANGE_TYPES,
  type ChannelMessage,
  changedMessage,
  contentOf,
  isByWriter,
  type MessagesWindow,
  messageAfter,
  recordOf,
  textOr,
  toMessageChange,
  toSystemMessage,
} from "@continuo/core/wire";
import { LIMITS } from "./limits.ts";
import { channelLogId } from "./names.ts";

export const MESSAGE_TYPES: readonly string[] = [
  "message_sent",
  "message_streamed",
  "message_updated",
  "message_completed",
  "message_interrupted",
  ...CHANGE_TYPES,
];

export interface ReadMessagesOptions {
  /** Number of the newest messages to return. */
  readonly limit: number;
  /** Only messages that began before this sequence. */
  readonly before?: number;
  /** True: with the lines of the channel itself, such as the one about agents that stopped. */
  readonly notices?: boolean;
}

/** Returns each message once, even if it was written in parts; returns fewer messages if they are very long. */
export async function readMessages(
  store: Store,
  channel: string,
  { limit, before, notices = false }: ReadMessagesOptions,
): Promise<MessagesWindow> {
  const logId = channelLogId(channel);
  const maxBytes = LIMITS.windowBytes;
  const { events, nextAfter } = await store.read(
    logId,
    present({
      types: notices ? ["message_sent", "error_raised"] : ["message_sent"],
      order: "newest",
      limit,
      before,
      maxBytes,
    }),
  );
  const messages = new Map(events.map((event) => [event.id, toLine(event)]));
  let sequence = events.at(-1)?.sequence ?? 0;
  // If the window is not the newest one, the log after it is read only for the ends of its open messages, and for
  // changes of its messages.
  const isDone = (): boolean =>
    before !== undefined && [...messages.values()].every(({ state }) => state !== "open");
  for (let after: number | null = events[0]?.sequence ?? null; after !== null; ) {
    // Messages of an older window may have been edited later, even if they have ended.
    const types = isDone() ? CHANGE_TYPES : MESSAGE_TYPES;
    const page: Awaited<ReturnType<Store["read"]>> = await store.read(logId, { after, types, maxBytes });
    for (const event of page.events) change(messages, event);
    sequence = Math.max(sequence, page.events.at(-1)?.sequence ?? 0);
    after = page.nextAfter;
  }
  const kept = newestThatFit([...messages.values()]);
  return { messages: kept, sequence, hasOlder: nextAfter !== null || kept.length < messages.size };
}

function newestThatFit(messages: readonly ChannelMessage[]): readonly ChannelMessage[] {
  let length = 0;
  let first = messages.length;
  while (first > 0) {
    length += messages[first - 1]?.content.length ?? 0;
    if (length > LIMITS.windowLength && first < messages.length) break;
    first--;
  }
  return messages.slice(first);
}

function toLine(event: StoredEvent): ChannelMessage {
  if (event.type !== "error_raised") return toMessage(event);
  const { id, sequence, occurredAt: timestamp } = event;
  return toSystemMessage({ id, sequence, timestamp, text: textOr(recordOf(event.data).message, "") });
}

export function toMessage(event: StoredEvent): ChannelMessage {
  const { content, state, to, replyTo } = recordOf(event.data);
  return {
    messageId: event.id,
    sequence: event.sequence,
    handle: authorOf(event),
    kind: event.actor.kind,
    ...contentOf(content),
    timestamp: event.occurredAt,
    state: state === "open" ? "open" : "complete",
    ...(Array.isArray(to) ? { to } : {}),
    ...(typeof replyTo === "string" ? { replyTo } : {}),
  };
}

export function change(messages: Map<string, ChannelMessage>, event: StoredEvent): void {
  const { messageId } = recordOf(event.data);
  const message = typeof messageId === "string" ? messages.get(messageId) : undefined;
  if (message === undefined) return;
  const made = toMessageChange(event);
  if (made !== null) messages.set(message.messageId, changedMessage(message, made));
  if (message.state !== "open" || isChange(event.type) || !isByWriter(event, message.handle)) return;
  const { text, state } = messageAfter(message.content, event);
  const blocks = event.type === "message_completed" ? blocksIn(recordOf(event.data).content) : {};
  messages.set(message.messageId, { ...message, content: text, state, ...blocks });
}

function isChange(type: string): boolean {
  return (CHANGE_TYPES as readonly string[]).includes(type);
}

/** The sequence of the newest anchor; 0 if there is none. A reader after `sequence - 1` receives the anchor first. */
export async function lastAnchor(store: Store, logId: string): Promise<number> {
  const range = { types: ANCHOR_TYPES, first: 1, last: await store.latestSequence(logId) };
  return (await newestIn(store, logId, range))?.sequence ?? 0;
}

interface Range {
  readonly types: readonly string[];
  readonly first: number;
  readonly last: number;
}

/** The newest event of these types in a range of sequences; `null` if there is none. */
export async function newestIn(
  store: Store,
  logId: string,
  { types, first, last }: Range,
): Promise<StoredEvent | null> {
  let before = last + 1;
  // Reads in parts: a read looks for one event more than its limit, so a single read would search the log to its
  // beginning.
  for (let stretch = LIMITS.stretchEvents; before > first; stretch *= 4) {
    const after = Math.max(first - 1, before - 1 - stretch);
    const { events } = await store.read(logId, { types, order: "newest", limit: 1, after, before });
    if (events[0] !== undefined) return events[0];
    before = after + 1;
  }
  return null;
}
