/**
 * A chat as server-sent events, for a page that shows it: first all of it, then what changes. A reader whose connection
 * was lost gets all of it again, so that it needs no place in the log.
 */

import { setTimeout as pause } from "node:timers/promises";
import { assertKnownOptions, readAll } from "@continuo/core/model";
import { assertListLimit, CHAT_LIST_LIMITS, type ChatFrame } from "@continuo/core/wire";
import { type Chat, type ChatEventsOptions, ChatFold } from "./chat.ts";
import type { Host } from "./host.ts";
import { CHAT_EVENTS_OPTIONS } from "./options.ts";
import { retriedBy } from "./retries.ts";
import { isKnownEvent, sessionEvents } from "./run-events.ts";
import { SSE_HEADERS, streamResponse } from "./sse.ts";

/** The pause between two looks for a session that its first message will create. */
const UNBEGUN_MS = 1_000;
const EMPTY: Chat = { messages: [], open: [] };

export function chatEvents(host: Host, sessionId: string, options: ChatEventsOptions): Response {
  const limit = limitOf(options);
  return streamResponse({ from: options, headers: SSE_HEADERS }, async function* (over) {
    for await (const frame of framesOf(host, { sessionId, limit, over })) {
      yield `data: ${JSON.stringify(frame)}\n\n`;
    }
  });
}

/** Errors: `usage`, `invalid`. */
function limitOf(options: ChatEventsOptions): number {
  assertKnownOptions("toChatEvents", options, CHAT_EVENTS_OPTIONS);
  const { limit = CHAT_LIST_LIMITS.messages } = options;
  assertListLimit(limit);
  return limit;
}

interface FollowRequest {
  readonly sessionId: string;
  readonly limit: number;
  readonly over: AbortSignal;
}

async function* framesOf(host: Host, followed: FollowRequest): AsyncGenerator<ChatFrame, void> {
  const { sessionId, over } = followed;
  for (let looks = 0; !over.aborted; looks++) {
    if ((await host.store.getSession(sessionId)) !== null) yield* chatFrames(host, followed);
    else {
      if (looks === 0) yield { type: "chat", ...EMPTY };
      await pause(UNBEGUN_MS, undefined, { signal: over }).catch(() => undefined);
    }
  }
}

/** Ends with the reader, or when an answer that had ended begins again, so that all of the chat is read again. */
async function* chatFrames(
  host: Host,
  { sessionId, limit, over }: FollowRequest,
): AsyncGenerator<ChatFrame, void> {
  const { store, failureText } = host;
  const fold = new ChatFold({ isRetried: retriedBy(host), failureText });
  let after = 0;
  for await (const event of readAll(store, sessionId, {})) {
    after = event.sequence;
    if (isKnownEvent(event)) fold.take(event);
  }
  yield { type: "chat", ...newest(fold.begin(), limit) };
  for await (const event of sessionEvents(store, sessionId, { after, signal: over })) {
    const frames = fold.follow(event);
    if (frames === null) return;
    yield* frames;
  }
}

/** An answer that is not complete is kept, however old it is. */
function newest({ messages, ...answers }: Chat, limit: number): Chat {
  const first = messages.length - limit;
  return {
    messages: messages.filter(({ id }, place) => place >= first || answers.open.includes(id)),
    ...answers,
  };
}
