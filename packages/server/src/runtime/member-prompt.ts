/** The prompt of an agent in a channel: what others said since its last answer, and the message that it answers. */

import { type AnswerInput, formatMessages, quotedMessages } from "@continuo/core/client";
import type { Store } from "@continuo/core/model";
import { type ChannelMessage, channelLogId } from "@continuo/core/wire";
import { type ConnectionRef, readMessages } from "@continuo/store/channels";

const PAGE = 100;
/** The newest messages since the last answer. */
const MAX_MESSAGES = 1_000;

export async function promptOf(
  store: Store,
  { channel, handle }: ConnectionRef,
  { messageId, content, from }: Pick<AnswerInput, "messageId" | "content" | "from">,
): Promise<string> {
  const before = await messagesBefore(store, { channel, handle }, messageId);
  const missed = before.map((message) => ({ ...message, from: message.handle }));
  const words = [
    quotedMessages(formatMessages(missed).formatted),
    `${from} in the channel ${channel}:`,
    content,
  ];
  return words.filter((part) => part !== "").join("\n\n");
}

/** The messages of others after the message that the agent answered last; the newest page if it answered none. */
async function messagesBefore(
  store: Store,
  { channel, handle }: ConnectionRef,
  messageId: string,
): Promise<readonly ChannelMessage[]> {
  const { events } = await store.read(channelLogId(channel), { id: messageId, types: ["message_sent"] });
  const found: ChannelMessage[] = [];
  /** The message that was answered last, and the beginning of its answer. */
  let answered: { readonly id: string | undefined; readonly sequence: number } | undefined;
  for (let before = events[0]?.sequence ?? 1; found.length < MAX_MESSAGES; ) {
    const page = await readMessages(store, channel, { limit: PAGE, before });
    for (const message of page.messages.toReversed()) {
      const isAnswer =
        message.handle === handle && message.replyTo !== messageId && message.state !== "deleted";
      if (isAnswer) answered ??= { id: message.replyTo, sequence: message.sequence };
      if (answered !== undefined && (answered.id ?? message.messageId) === message.messageId)
        return toHeard(found, handle);
      found.unshift(message);
    }
    const [first] = page.messages;
    if (first === undefined || !page.hasOlder) break;
    if (answered === undefined && found.length >= PAGE) break;
    before = first.sequence;
  }
  return toHeard(found, handle);
}

function toHeard(messages: readonly ChannelMessage[], handle: string): readonly ChannelMessage[] {
  return messages.filter(
    (message) => message.handle !== handle && message.state !== "deleted" && message.content !== "",
  );
}
