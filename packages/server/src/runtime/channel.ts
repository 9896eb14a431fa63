/** A channel for the program that has the store. It reads and posts without a connection and is not a participant. */

import { randomUUID } from "node:crypto";
import {
  formatMessages,
  type MissedContext,
  type MissedContextOptions,
  type MissedMessage,
} from "@continuo/core/client";
import {
  assertChoice,
  assertKnownOptions,
  assertNumbers,
  type KnownOptions,
  present,
  type Store,
} from "@continuo/core/model";
import {
  assertName,
  type ChannelMessage,
  channelLogId,
  type PostFrame,
  parseClientFrame,
} from "@continuo/core/wire";
import {
  type ConnectionRef,
  isSnapshotDue,
  openChannel,
  planReplay,
  post,
  processedCursor,
  readMessages,
  readState,
} from "@continuo/store/channels";

export interface ChannelHandle {
  readonly channel: string;
  /**
   * The newest messages, oldest first, each in its present form; 100 by default. A deleted one has no content and the
   * state `deleted`.
   */
  messages(options?: ChannelMessagesOptions): Promise<readonly ChannelMessage[]>;
  /** A message in its present form; `null` if there is none with this id. */
  message(id: string): Promise<ChannelMessage | null>;
  /**
   * The messages of others among the newest 1,000 after the checkpoint of a handle, from at most 10,000 events and
   * 1 MiB: as a text for a prompt (`formatted`), and one by one. Deleted messages are left out. The checkpoint does not
   * move; `post` with `checkpoint: lastSequence` moves it.
   */
  missed(handle: string, options?: MissedContextOptions): Promise<MissedInChannel>;
  /**
   * Stores a message, and creates the channel if needed. A message with the same `id`, text, `from` and addressees is
   * stored once, however often it is posted. Errors: `conflict` for the id of a message with another text or author,
   * `invalid`, `too_large`, `not_found` for the message of `replyTo`, `out_of_range` for a `checkpoint` after the end
   * of the channel.
   */
  post(text: string, options: ChannelPostOptions): Promise<PostedMessage>;
  /**
   * Lets an agent of this program take part. The agent answers each message that is addressed to `handle` once, in its
   * own session, and others see the answer while it is written. With each message its model receives what others said
   * since its last answer. While another process has the handle, this one waits for it. Ends, without the member, when
   * `signal` aborts or Continuo is closed. After a failure, `onError` is called, and the work is tried again.
   * Errors: `usage`, `invalid` for the handle, `not_found` for the agent.
   */
  join(handle: string, options?: ChannelJoinOptions): Promise<void>;
}

export interface ChannelJoinOptions {
  /** A name of an agent of this program; the first by default. */
  readonly agent?: string;
  /** The session that has the questions and answers; `HANDLE-in-CHANNEL` by default. */
  readonly session?: string;
  /** After this many messages of agents without one of a person, it waits for a person; 20 by default. */
  readonly maxTurns?: number;
  readonly signal?: AbortSignal;
}

export interface ChannelMessagesOptions {
  readonly limit?: number;
  /** Only messages that began before this sequence. */
  readonly before?: number;
}

export interface ChannelPostOptions {
  /** The handle that people see as the author. */
  readonly from: string;
  /** Your id of the message within the channel; a random one by default. */
  readonly id?: string;
  /** `agent` by default. Agents that answer each other stop after 20 messages without one of a person. */
  readonly type?: "agent" | "person";
  /** Handles that the message addresses, in addition to those that its text names with `@`. */
  readonly to?: readonly string[];
  readonly replyTo?: string;
  /** The sequence up to which `from` has read the channel. `missed(from)` begins after it. Stored with the message. */
  readonly checkpoint?: number;
}

export interface MissedInChannel extends MissedContext {
  readonly messages: readonly MissedMessage[];
}

export interface PostedMessage {
  readonly messageId: string;
  readonly sequence: number;
}

const CHANNEL_MESSAGE_OPTIONS: KnownOptions<ChannelMessagesOptions> = { limit: true, before: true };
const MISSED_OPTIONS: KnownOptions<MissedContextOptions> = { maxChars: true, format: true };
const POST_OPTIONS: KnownOptions<ChannelPostOptions> = {
  from: true,
  id: true,
  type: true,
  to: true,
  replyTo: true,
  checkpoint: true,
};

/** The agents of this program that take part in channels. */
export interface ChannelMembers {
  join(place: ConnectionRef, options: ChannelJoinOptions): Promise<void>;
}

const JOIN_OPTIONS: KnownOptions<ChannelJoinOptions> = {
  agent: true,
  session: true,
  maxTurns: true,
  signal: true,
};

const MESSAGES = 100;

/** Errors: `invalid` for a name that no channel has. */
export function createChannelHandle(store: Store, channel: string, members: ChannelMembers): ChannelHandle {
  assertName("channel", channel);
  const logId = channelLogId(channel);
  const exists = async (): Promise<boolean> => (await store.getLog(logId)) !== null;
  return {
    channel,
    async messages(page = {}) {
      assertKnownOptions("messages", page, CHANNEL_MESSAGE_OPTIONS);
      const { limit = MESSAGES, before } = page;
      if (!(await exists())) return [];
      return (await readMessages(store, channel, { limit, ...present({ before }) })).messages;
    },
    async message(id) {
      if (!(await exists())) return null;
      const { events } = await store.read(logId, { id, types: ["message_sent"] });
      const [sent] = events;
      if (sent === undefined) return null;
      const { messages } = await readMessages(store, channel, { limit: 1, before: sent.sequence + 1 });
      return messages[0] ?? null;
    },
    async missed(handle, options = {}) {
      assertName("handle", handle);
      assertKnownOptions("missed", options, MISSED_OPTIONS);
      return await missedBy(store, { channel, handle }, options);
    },
    async join(handle, options = {}) {
      assertKnownOptions("join", options, JOIN_OPTIONS);
      assertName("handle", handle);
      assertNumbers(options, { maxTurns: 1 });
      await members.join({ channel, handle }, options);
    },
    async post(text, options) {
      assertKnownOptions("post", options, POST_OPTIONS);
      const { from, type = "agent", id = randomUUID(), to, replyTo, checkpoint } = options;
      assertName("handle", from);
      assertChoice("type", type, ["agent", "person"]);
      const sending = { type: "send", request: 0, id, content: text, to, replyTo };
      // These checks are the same as for a message that comes over the network.
      const frame = parseClientFrame(JSON.stringify(sending)) as PostFrame;
      await openChannel(store, channel);
      const author = { channel, handle: from, type, instance: "program", moderates: false };
      const name = processedCursor(author);
      const also =
        checkpoint === undefined ? [] : [{ type: "cursor", logId, name, sequence: checkpoint } as const];
      const { sequence } = await post(store, author, { frame, open: new Map(), also });
      // The snapshot is a cache. If this fails, the next reader of the state stores it.
      if (isSnapshotDue(sequence)) readState(store, channel).catch(() => undefined);
      return { messageId: id, sequence };
    },
  };
}

async function missedBy(
  store: Store,
  { channel, handle }: { readonly channel: string; readonly handle: string },
  options: MissedContextOptions,
): Promise<MissedInChannel> {
  const logId = channelLogId(channel);
  if ((await store.getLog(logId)) === null) return { ...formatMessages([], options), messages: [] };
  const name = processedCursor({ channel, handle });
  const after = (await store.getCursor({ logId, name }))?.sequence ?? 0;
  const upTo = await store.latestSequence(logId);
  const { wholeAfter, omitted } = await planReplay(store, { channel, handle, mode: "collect", after, upTo });
  const messages = (await messagesAfter(store, channel, { after: wholeAfter, upTo }))
    .filter((message) => message.handle !== handle && message.state !== "deleted")
    .map(toMissed);
  return { ...formatMessages(messages, { ...options, omitted }), lastSequence: upTo, messages };
}

/** The messages that began in this part of the log, oldest first, in their present form. */
async function messagesAfter(
  store: Store,
  channel: string,
  { after, upTo }: { readonly after: number; readonly upTo: number },
): Promise<readonly ChannelMessage[]> {
  const found: ChannelMessage[] = [];
  for (let before = upTo + 1; ; ) {
    const window = await readMessages(store, channel, { limit: MESSAGES, before });
    const first = window.messages[0];
    found.unshift(...window.messages.filter(({ sequence }) => sequence > after));
    if (!window.hasOlder || first === undefined || first.sequence <= after) return found;
    before = first.sequence;
  }
}

function toMissed({ messageId, sequence, handle, content, timestamp, state }: ChannelMessage): MissedMessage {
  return { messageId, sequence, from: handle, content, timestamp, state };
}
