/** `openChat()`: a page in the chat of a session. */

import {
  assertChoice,
  assertKnownOptions,
  ContinuoError,
  type KnownOptions,
  present,
} from "../../model/index.ts";
import { assertListLimit, CHAT_LIST_LIMITS } from "../../wire/index.ts";
import {
  assertServerUrl,
  authorizationOf,
  fetchThere,
  httpAddress,
  newIds,
  patiently,
} from "../requests/index.ts";
import { ChatFeed } from "./feed.ts";
import { LIMITS } from "./limits.ts";
import { type ChatListMessage, unsent } from "./message-list.ts";

export interface OpenChatOptions {
  /** The address of a server, or the one at which a program mounts `c.handler`. */
  readonly serverUrl: string;
  /** The id of the session. Its first message creates it, if the person may do that. */
  readonly session: string;
  /**
   * Sent in a header, never in a URL. Not needed if the server knows the person by a cookie, or requires no token. A
   * function is called before each request.
   */
  readonly token?: string | (() => string | Promise<string>) | undefined;
  /** The number of messages that are loaded at first: from 1 to 1,000, 100 if none is given. */
  readonly limit?: number | undefined;
  /** Called with `open` after each connection, and with `lost` after each loss; the page connects again by itself. */
  readonly onConnection?: ((connection: "open" | "lost") => void) | undefined;
}

export interface QuestionAnswer {
  readonly outcome: "granted" | "denied";
  readonly reason?: string;
}

export interface OpenedChat {
  /**
   * Resolves when the message is stored; until then it is at the end of the list as `sending`. Messages are sent in
   * their order. While no server answers, a message is tried for a minute. The same message is stored once under its
   * `id`, and an id is chosen if none is given. Errors: `invalid` for an empty text, `busy`, those of the server.
   */
  send(text: string, options?: { readonly id?: string }): Promise<void>;
  /**
   * Yields the messages, oldest first, at once and after each change. Changes that come together make one list. A list
   * has at most 1,000 messages: the oldest make room. Errors: what ended the connection permanently.
   */
  messages(options?: { readonly signal?: AbortSignal }): AsyncIterableIterator<readonly ChatListMessage[]>;
  /** Ends the answers that are not complete, for all readers. Their text so far stays. */
  stop(options?: { readonly reason?: string }): Promise<void>;
  /** Answers a question of an agent, by its `id`. Errors: `forbidden`; `conflict` for a different second answer. */
  answer(questionId: string, answer: QuestionAnswer): Promise<void>;
  /** Stops reading. What was sent is still answered. */
  close(): void;
  [Symbol.dispose](): void;
}

const OPEN_OPTIONS: KnownOptions<OpenChatOptions> = {
  serverUrl: true,
  session: true,
  token: true,
  limit: true,
  onConnection: true,
};
const SEND_OPTIONS: KnownOptions<{ readonly id?: string }> = { id: true };
const MESSAGES_OPTIONS: KnownOptions<{ readonly signal?: AbortSignal }> = { signal: true };
const STOP_OPTIONS: KnownOptions<{ readonly reason?: string }> = { reason: true };
const ANSWER_OPTIONS: KnownOptions<QuestionAnswer> = { outcome: true, reason: true };

/**
 * Resolves with the first list of messages. Errors: `usage` for an unknown option; `invalid`; what the server answers,
 * such as `unauthorized` or `not_found`; `unavailable` if no server answers within 30 seconds.
 */
export async function openChat(options: OpenChatOptions): Promise<OpenedChat> {
  assertKnownOptions("openChat", options, OPEN_OPTIONS);
  const {
    serverUrl,
    session,
    token,
    limit = CHAT_LIST_LIMITS.messages,
    onConnection = () => undefined,
  } = options;
  assertServerUrl(serverUrl);
  if (typeof session !== "string" || session === "") {
    throw new ContinuoError("invalid", "no session is given", { hint: "Give the id of the session." });
  }
  assertListLimit(limit);
  const base = `${httpAddress(serverUrl)}/v1`;
  const ask: AskServer = async (path, { method = "GET", body, signal } = {}) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    return await fetchThere(
      `${base}${path}`,
      present({
        method,
        headers: {
          ...(await authorizationOf(token)),
          ...(text === undefined ? {} : { "content-type": "application/json" }),
        },
        cache: "no-store" as const,
        body: text,
        signal,
        // The browser finishes the request even if the person leaves the page.
        keepalive: text !== undefined && text.length < LIMITS.keepAliveLength,
      }),
    );
  };
  const path = `/sessions/${encodeURIComponent(session)}/chat`;
  const feed = new ChatFeed({
    open: (signal) => ask(`${path}/events?limit=${limit}`, { signal }),
    onConnection,
  });
  await feed.ready();
  return new Chat({ ask, path, feed });
}

type AskServer = (
  path: string,
  request?: { readonly method?: "POST"; readonly body?: object; readonly signal?: AbortSignal },
) => Promise<Response>;

interface ChatParts {
  readonly ask: AskServer;
  readonly path: string;
  readonly feed: ChatFeed;
}

class Chat implements OpenedChat {
  readonly #parts: ChatParts;
  readonly #newId: () => string = newIds();
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: ChatParts) {
    this.#parts = parts;
  }

  async send(text: string, options: { readonly id?: string } = {}): Promise<void> {
    assertKnownOptions("send", options, SEND_OPTIONS);
    const { id = this.#newId() } = options;
    const { feed, path } = this.#parts;
    if (text.trim() === "") throw new ContinuoError("invalid", "the message is empty");
    feed.add(unsent(id, text));
    const messages = [{ id, role: "user", parts: [{ type: "text", text }] }];
    const sent = this.#last.then(() => this.#post(path, { messages, stream: false }));
    this.#last = sent.catch(() => undefined);
    try {
      await sent;
      feed.stored(id);
    } catch (error) {
      feed.remove(id);
      throw error;
    }
  }

  async *messages(
    options: { readonly signal?: AbortSignal } = {},
  ): AsyncGenerator<readonly ChatListMessage[], void> {
    assertKnownOptions("messages", options, MESSAGES_OPTIONS);
    yield* this.#parts.feed.lists(options.signal);
  }

  async stop(options: { readonly reason?: string } = {}): Promise<void> {
    assertKnownOptions("stop", options, STOP_OPTIONS);
    // A message that is being sent is stopped too.
    await this.#last;
    await this.#post(`${this.#parts.path}/stop`, { ...options });
  }

  async answer(questionId: string, answer: QuestionAnswer): Promise<void> {
    assertKnownOptions("answer", answer, ANSWER_OPTIONS);
    assertChoice("outcome", answer.outcome, ["granted", "denied"]);
    await this.#post(`/approvals/${encodeURIComponent(questionId)}`, { ...answer });
  }

  close(): void {
    this.#parts.feed.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** Each of these requests may be repeated: the second one changes nothing. */
  async #post(path: string, body: object): Promise<void> {
    const { ask, feed } = this.#parts;
    const { signal } = feed;
    const request = { method: "POST", body } as const;
    await patiently(() => ask(path, request), { patienceMs: LIMITS.sendMs, signal });
  }
}
