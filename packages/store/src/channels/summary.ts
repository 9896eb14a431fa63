/** A summary of a channel: its newest message, and its connected participants. */

import type { Store } from "@continuo/core/model";
import type { ChannelMessage, ChannelRow, ChannelSummary } from "@continuo/core/wire";
import { LIMITS } from "./limits.ts";
import { channelLogId } from "./names.ts";
import { readRoster } from "./participants.ts";
import { change, MESSAGE_TYPES, newestIn, toMessage } from "./read-messages.ts";

/**
 * The newest message, cut, among the newest events of the channel, and the number of connected people and agents.
 * Errors: those of the store.
 */
export async function summaryOf(
  store: Store,
  { channel, latestSequence }: Pick<ChannelRow, "channel" | "latestSequence">,
): Promise<ChannelSummary> {
  const [newest, roster] = await Promise.all([
    newestMessage(store, channelLogId(channel), latestSequence),
    readRoster(store, channel),
  ]);
  const agents = roster.filter(({ type }) => type !== "person").length;
  return { newest, people: roster.length - agents, agents };
}

async function newestMessage(store: Store, logId: string, last: number): Promise<ChannelSummary["newest"]> {
  const first = Math.max(1, last - LIMITS.summaryEvents + 1);
  const event = await newestIn(store, logId, { types: ["message_sent"], first, last });
  if (event === null) return null;
  const message = toMessage(event);
  const { blocks: _, ...whole } = await readToItsEnd(store, logId, message);
  return { ...whole, content: whole.content.slice(0, LIMITS.summaryLength) };
}

async function readToItsEnd(store: Store, logId: string, begun: ChannelMessage): Promise<ChannelMessage> {
  const messages = new Map([[begun.messageId, begun]]);
  for (let after: number | null = begun.sequence; after !== null; ) {
    const page: Awaited<ReturnType<Store["read"]>> = await store.read(logId, {
      after,
      types: MESSAGE_TYPES,
      maxBytes: LIMITS.windowBytes,
    });
    for (const event of page.events) change(messages, event);
    after = page.nextAfter;
  }
  return messages.get(begun.messageId) ?? begun;
}
