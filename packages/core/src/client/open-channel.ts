/** A channel as a page shows it: a participant of the channel, and its messages as a list that changes. */

import { assertKnownOptions, type KnownOptions } from "../model/index.ts";
import {
  assertListLimit,
  type ChannelMessage,
  errorFromWire,
  type MessagesWindow,
  toSystemMessage,
} from "../wire/index.ts";
import { type Channel, EMPTY_CHANNEL, foldEvent, foldWindow, MOST_LOADED } from "./channel-fold.ts";
import type { AgenticClient } from "./client.ts";
import { CONNECT_OPTIONS, type ConnectOptions, connectAfter } from "./connect.ts";
import type { ClientEvent } from "./events.ts";
import { authorizationOf, fetchThere, httpAddress } from "./requests/index.ts";

export interface OpenChannelOptions extends Omit<ConnectOptions, "after" | "replayMode"> {
  /** The number of messages that are loaded at first: from 1 to 1,000, 100 if none is given. */
  readonly limit?: number | undefined;
}

export interface OpenedChannel {
  /** Writes, edits, reacts and commits. Do not call its `events()`, because `messages()` reads them. */
  readonly client: AgenticClient;
  /**
   * Yields the messages, oldest first, at once and after each change: a new message, more of a message that is being
   * written, an edit, a deletion, a reaction. A deleted message is no longer in the list. Lines of the channel itself,
   * such as why agents that answer each other stopped, have the kind `system` and no handle. Changes that come together make one list, so a slow reader gets fewer
   * lists. A list has at most 1,000 messages: the oldest make room. One iteration at a time. Errors: what ended the
   * connection permanently; `conflict` for a second iteration.
   */
  messages(options?: MessagesOptions): AsyncIterableIterator<readonly ChannelMessage[]>;
  /** Waits until everything that was written is stored, for at most 5 seconds, and leaves. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

interface MessagesOptions {
  readonly signal?: AbortSignal;
}

const { after: _, replayMode: __, ...JOINING } = CONNECT_OPTIONS;
const OPEN_OPTIONS: KnownOptions<OpenChannelOptions> = { ...JOINING, limit: true };
/** The statuses of `unauthorized`, `forbidden` and `not_found`: a channel exists only after somebody joined it. */
const FINAL: readonly number[] = [401, 403, 404];
const LIMITS = { messages: 100, loadMs: 10_000 } as const;

/**
 * Loads the newest messages, joins the channel, and follows it from there, so that nothing is missing in between and a
 * page that is loaded again shows the same. Errors: as `connect`; `invalid` for a limit that is not from 1 to 1,000.
 */
export async function openChannel(options: OpenChannelOptions): Promise<OpenedChannel> {
  assertKnownOptions("openChannel", options, OPEN_OPTIONS);
  const { limit = LIMITS.messages, ...connecting } = options;
  assertListLimit(limit);
  let channel = EMPTY_CHANNEL;
  const load = async (token: string | undefined): Promise<number> => {
    const window = await loadWindow({ ...connecting, token }, limit);
    channel = foldWindow(EMPTY_CHANNEL, window, "instead");
    return startAfter(window);
  };
  const client = await connectAfter(load, { ...connecting, replayMode: "stream" });
  const close = (): Promise<void> => client.close();
  return {
    client,
    async *messages(given = {}) {
      assertKnownOptions("messages", given, { signal: true } satisfies KnownOptions<MessagesOptions>);
      const { signal } = given;
      const stop = new AbortController();
      const over = AbortSignal.any([stop.signal, signal ?? stop.signal]);
      const events = client.events({ parts: true, signal: over });
      const following = follow(events, (event) => {
        const before = channel;
        channel = foldEvent(channel, event);
        return channel !== before;
      });
      try {
        do yield toList(channel);
        while (await following.changed());
      } finally {
        stop.abort();
        await following.ended;
      }
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/**
 * Returns an empty window for a channel that does not exist, and after a refusal, because the connection then gets the
 * same refusal with its reason. After any other error the connection is tried again.
 */
async function loadWindow(
  {
    serverUrl,
    channel,
    token,
  }: Pick<ConnectOptions, "serverUrl" | "channel"> & { readonly token: string | undefined },
  limit: number,
): Promise<MessagesWindow> {
  const url = `${httpAddress(serverUrl)}/v1/channels/${encodeURIComponent(channel)}/messages?limit=${limit}&notices=true`;
  const answer = await fetchThere(url, {
    headers: await authorizationOf(token),
    signal: AbortSignal.timeout(LIMITS.loadMs),
    cache: "no-store",
  });
  if (answer.ok) return (await answer.json()) as MessagesWindow;
  if (FINAL.includes(answer.status)) return { messages: [], sequence: 0, hasOlder: false };
  throw errorFromWire(await answer.json().catch(() => null), answer.status);
}

/** A message that is being written is read from its beginning, so that its next words follow. */
function startAfter({ messages, sequence }: MessagesWindow): number {
  const open = messages.find(({ state }) => state === "open");
  return Math.min(sequence, (open?.sequence ?? Number.POSITIVE_INFINITY) - 1);
}

/** The messages that are not deleted, with the lines of the channel itself between them. */
function toList({ messages, notices, open, hasOlder }: Channel): readonly ChannelMessage[] {
  const known = new Set(messages.map(({ messageId }) => messageId));
  const first = hasOlder ? (messages[0]?.sequence ?? 0) : 0;
  const lines = notices.filter(({ id, sequence }) => !known.has(id) && sequence > first).map(toSystemMessage);
  const all = messages
    .filter(({ state }) => state !== "deleted")
    .map((message) => {
      const text = open.get(message.messageId)?.text;
      return text === undefined ? message : { ...message, content: text };
    });
  if (lines.length === 0) return all;
  return [...all, ...lines].sort((a, b) => a.sequence - b.sequence).slice(-MOST_LOADED);
}

interface EventLoop {
  /** Resolves after the next change and what arrives with it; `false` at the end. Errors: those of the events. */
  changed(): Promise<boolean>;
  readonly ended: Promise<unknown>;
}

/** Takes events while the reader draws. */
function follow(events: AsyncIterable<ClientEvent>, take: (event: ClientEvent) => boolean): EventLoop {
  let change = Promise.withResolvers<"changed">();
  const reading = (async (): Promise<"over"> => {
    for await (const event of events) if (take(event)) change.resolve("changed");
    return "over";
  })();
  return {
    ended: reading.catch(() => undefined),
    changed: async () => {
      const next = await Promise.race([change.promise, reading]);
      if (next === "over") return false;
      await new Promise((resolve) => setTimeout(resolve));
      change = Promise.withResolvers();
      return true;
    },
  };
}
