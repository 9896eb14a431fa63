/** The `ChatTransport` of the AI SDK over the routes of a Continuo server: a chat is a session of the same id. */

import { isRedirect, patiently, redirected } from "@continuo/core/client/requests";
import { assertKnownOptions, ContinuoError, isContinuoError, type KnownOptions } from "@continuo/core/model";
import type { ChatTransport, UIMessage, UIMessageChunk } from "ai";
import { chunkStream } from "./chunk-stream.ts";
import { LIMITS } from "./limits.ts";
import { OpenAnswers, type ServerChat } from "./open-answers.ts";

type HeadersOption = Readonly<Record<string, string>> | Headers;

export interface ContinuoChatTransportOptions {
  /**
   * The address at which the program mounts `c.handler`, such as `/continuo`; or the address of a server, without a
   * path.
   */
  readonly url: string;
  /** The headers of each request, such as a token. */
  readonly headers?: HeadersOption | (() => HeadersOption | Promise<HeadersOption>);
  readonly credentials?: "omit" | "same-origin" | "include";
  /** Milliseconds to wait for a server that cannot be reached; 60,000 by default. */
  readonly patienceMs?: number;
  readonly fetch?: typeof fetch;
}

interface LoadOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface StopOptions {
  readonly reason?: string;
}

const TRANSPORT_OPTIONS: KnownOptions<ContinuoChatTransportOptions> = {
  url: true,
  headers: true,
  credentials: true,
  patienceMs: true,
  fetch: true,
};

export interface ApprovalAnswer {
  readonly approved: boolean;
  readonly reason?: string;
}

interface ServerRequest {
  readonly method?: "POST";
  readonly body?: object;
  readonly headers?: HeadersOption | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface ChatState {
  readonly answers: OpenAnswers;
  /** Requests that are still being sent. */
  readonly sending: Set<Promise<unknown>>;
}

export class ContinuoChatTransport<Message extends UIMessage = UIMessage> implements ChatTransport<Message> {
  /** An answer is streamed from its first chunk, so the SDK must build it from the beginning. */
  readonly resumeStreamIsReplay = true;
  readonly #options: ContinuoChatTransportOptions;
  readonly #chats = new Map<string, ChatState>();

  /** Errors: `usage` for an unknown option, here and in the methods. */
  constructor(options: ContinuoChatTransportOptions) {
    assertKnownOptions("ContinuoChatTransport", options, TRANSPORT_OPTIONS);
    this.#options = options;
  }

  /** Loads the messages of a chat, for `useChat({ messages, resume: true })`. A new chat has none. */
  async load(chatId: string, options: LoadOptions = {}): Promise<Message[]> {
    assertKnownOptions("load", options, { signal: true } satisfies KnownOptions<LoadOptions>);
    const { signal } = options;
    const chat = await this.#read(chatId, { signal });
    this.#stateOf(chatId).answers.load(chat.open);
    return [...chat.messages];
  }

  /**
   * Sends the last message, or follows its answer if the session has the message. So `regenerate()` and `sendMessage()`
   * without a message repeat what was lost. A signal ends only the reading: a message that was sent is still answered.
   * Errors: `usage` if the last message is not one of the user, and for another answer to a message whose answer is
   * complete; `conflict` for a changed message.
   */
  async sendMessages({
    chatId,
    messages,
    trigger,
    messageId,
    abortSignal,
    headers,
    body,
  }: Parameters<ChatTransport<Message>["sendMessages"]>[0]): Promise<ReadableStream<UIMessageChunk>> {
    const message = messages.at(-1);
    if (message?.role !== "user") {
      throw new ContinuoError("usage", "the last message is not one of the user", {
        hint: "Send a new message; an approval is answered with `answerApproval`.",
      });
    }
    const { answers, sending } = this.#stateOf(chatId);
    answers.ask(message.id);
    const again: ServerRequest = {
      method: "POST",
      body: { ...body, trigger: "submit-message", messages: [message] },
      headers,
    };
    const asked: ServerRequest = { ...again, body: { ...again.body, trigger, messageId } };
    // The message is sent even if the page stops reading: either the server has it, or the caller gets an error.
    const first = this.#ask(chatPath(chatId), asked);
    const sent = first.catch(() => undefined);
    sending.add(sent);
    void sent.then(() => sending.delete(sent));
    return chunkStream(await unlessAborted(first, abortSignal), {
      // A repeated request asks for the same answer, because the server refuses another one after a complete answer.
      open: (signal) => this.#ask(chatPath(chatId), { ...again, signal }),
      signal: abortSignal,
      onChunk: answers.reader(message.id),
    });
  }

  /** Returns the answers that this page has not seen to their end; `null` if it has seen them all. */
  async reconnectToStream({
    chatId,
    abortSignal,
    headers,
  }: Parameters<
    ChatTransport<Message>["reconnectToStream"]
  >[0]): Promise<ReadableStream<UIMessageChunk> | null> {
    const { answers, sending } = this.#stateOf(chatId);
    await unlessAborted(Promise.all(sending), abortSignal);
    const missing = answers.missing(await this.#read(chatId, { headers, signal: abortSignal }));
    if (missing.length === 0) return null;
    const query = missing.map((id) => `open=${encodeURIComponent(id)}`).join("&");
    const open = (signal: AbortSignal | undefined): Promise<Response> =>
      this.#ask(`${chatPath(chatId)}/stream?${query}`, { headers, signal });
    return chunkStream(await open(abortSignal), {
      open,
      signal: abortSignal,
      onChunk: answers.reader(undefined),
    });
  }

  /** Stops the answers of a chat. When it returns, the stop is stored; the stream of the answer ends by itself. */
  async stop(chatId: string, options: StopOptions = {}): Promise<void> {
    assertKnownOptions("stop", options, { reason: true } satisfies KnownOptions<StopOptions>);
    const { reason } = options;
    await Promise.all(this.#stateOf(chatId).sending);
    const body = reason === undefined ? {} : { reason };
    await this.#ask(`${chatPath(chatId)}/stop`, { method: "POST", body });
  }

  /** Answers a question of the agent, by the `approval.id` of a tool's part. Errors: `conflict` for another answer. */
  async answerApproval(approvalId: string, { approved, reason }: ApprovalAnswer): Promise<void> {
    const body = { outcome: approved ? "granted" : "denied", ...(reason === undefined ? {} : { reason }) };
    await this.#ask(`/v1/approvals/${encodeURIComponent(approvalId)}`, { method: "POST", body });
  }

  async #read(chatId: string, asked: ServerRequest): Promise<ServerChat<Message>> {
    try {
      return (await (await this.#ask(chatPath(chatId), asked)).json()) as ServerChat<Message>;
    } catch (error) {
      if (isContinuoError(error, "not_found")) return { messages: [], open: [] };
      throw error;
    }
  }

  async #ask(path: string, { method, body, headers, signal }: ServerRequest): Promise<Response> {
    const { url, patienceMs = LIMITS.patienceMs, credentials, fetch: given } = this.#options;
    const text = body === undefined ? undefined : JSON.stringify(body);
    const keepalive = text !== undefined && text.length < LIMITS.keepAliveBytes;
    return await patiently(
      async () => {
        const sent = await this.#headers(headers);
        if (text !== undefined) sent.set("content-type", "application/json");
        const response = await (given ?? globalThis.fetch)(url.replace(/\/$/u, "") + path, {
          headers: sent,
          // A redirect would take the message and the headers to another server.
          redirect: "manual",
          ...(text === undefined ? {} : { method: method ?? "POST", body: text, keepalive }),
          ...(credentials === undefined ? {} : { credentials }),
          ...(signal === undefined ? {} : { signal }),
        });
        if (isRedirect(response)) throw redirected(url);
        return response;
      },
      { patienceMs, signal },
    );
  }

  async #headers(headers: HeadersOption | undefined): Promise<Headers> {
    const { headers: own = {} } = this.#options;
    const all = new Headers(typeof own === "function" ? await own() : own);
    new Headers(headers).forEach((value, name) => void all.set(name, value));
    return all;
  }

  #stateOf(chatId: string): ChatState {
    const known = this.#chats.get(chatId);
    if (known !== undefined) return known;
    const state = { answers: new OpenAnswers(), sending: new Set<Promise<unknown>>() };
    this.#chats.set(chatId, state);
    return state;
  }
}

function chatPath(chatId: string): string {
  return `/v1/sessions/${encodeURIComponent(chatId)}/chat`;
}

/** Errors: the reason of the signal. A run that was started continues to its end. */
async function unlessAborted<Result>(
  result: Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  if (signal === undefined) return await result;
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const stop = (): void => aborted.reject(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([result, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
