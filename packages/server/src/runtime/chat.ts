/** A session as a chat: its log as messages of the AI SDK, and the answers that are not complete. */

import {
  type Block,
  isEvent,
  type KnownEvent,
  keepNewest,
  type Payload,
  present,
  type RunStatus,
  type StoredEvent,
} from "@continuo/core/model";
import type { ChatFrame, ChatMessage, ChatMetadata, UIPart } from "@continuo/core/wire";
import { type FailureText, GIVEN_UP } from "./failure-text.ts";
import { ENDS, isKnownEvent } from "./run-events.ts";
import { createUIFold, filePartOf, type UIFold } from "./ui-chunks.ts";
import { UIParts } from "./ui-parts.ts";

export interface Chat {
  readonly messages: readonly ChatMessage[];
  /** The ids of the answers that are not complete yet, in their order. */
  readonly open: readonly string[];
  /**
   * Those of them whose run has not begun, because an earlier answer is not complete or no worker is free; left out if
   * there is none.
   */
  readonly waiting?: readonly string[];
}

export interface ChatEventsOptions {
  /** The number of messages that the reader gets first: from 1 to 1,000, 100 by default. */
  readonly limit?: number;
  readonly signal?: AbortSignal;
}

/** The key in the metadata of a run for the id that the sender gave to the message. */
export const SENT_AS = "sentAs";

/** The runs of ended answers that a reader of changes remembers. */
const MAX_ENDED = 1_000;

/** An input and its answer, over all attempts. */
interface Exchange {
  readonly question: ChatMessage;
  readonly answerId: string;
  readonly fold: UIFold;
  readonly parts: UIParts;
  isOpen: boolean;
  /** True before its first run begins. */
  isWaiting: boolean;
}

export interface ReadChatOptions {
  /** True if an attempt with this end is followed by another one. */
  readonly isRetried: (status: RunStatus) => boolean;
  readonly failureText: FailureText;
}

/** Each input is followed by its answer, which has no parts before the run begins. */
export async function readChat(events: AsyncIterable<StoredEvent>, options: ReadChatOptions): Promise<Chat> {
  const fold = new ChatFold(options);
  for await (const event of events) if (isKnownEvent(event)) fold.take(event);
  return fold.end();
}

export class ChatFold {
  #shown: (Exchange | ChatMessage)[] = [];
  /** The answer, by the run of each attempt. */
  readonly #exchanges = new Map<string, Exchange>();
  /** With `follow`: the runs of the newest answers that have ended, of which nothing else is kept. */
  readonly #ended = new Set<string>();
  /** True if older answers have ended too, so that the run of a late event may be one of theirs. */
  #hasOlder = false;
  readonly #options: ReadChatOptions;

  constructor(options: ReadChatOptions) {
    this.#options = options;
  }

  take(event: KnownEvent): void {
    if (event.type === "run_created") this.#create(event.data);
    const exchange = event.runId === undefined ? undefined : this.#exchanges.get(event.runId);
    if (exchange === undefined) this.#takeOther(event);
    else takeIn(exchange, event, this.#options.isRetried);
  }

  end(): Chat {
    const messages = this.#shown.flatMap((shown) =>
      "fold" in shown ? [shown.question, answerOf(shown)] : [shown],
    );
    const answers = this.#shown.flatMap((shown) => ("fold" in shown && shown.isOpen ? [shown] : []));
    const waiting = answers.filter(({ isWaiting }) => isWaiting).map(({ answerId }) => answerId);
    const open = answers.map(({ answerId }) => answerId);
    return { messages, open, ...present({ waiting: waiting.length === 0 ? undefined : waiting }) };
  }

  /** Returns the chat, and forgets what has ended. Only events that come later are given to `follow` after it. */
  begin(): Chat {
    const chat = this.end();
    for (const shown of this.#shown) if ("fold" in shown) shown.parts.change();
    this.#shown = [];
    this.#forgetEnded();
    return chat;
  }

  /**
   * Returns what the event changes; `null` if all must be read again, because the agent is asked again about an answer
   * that had ended, or because a message may belong to an answer that is no longer known.
   */
  follow(event: KnownEvent): readonly ChatFrame[] | null {
    if (event.runId !== undefined && this.#ended.has(event.runId)) return [];
    const asked = event.type === "run_created" ? event.data.metadata?.retryOf : undefined;
    if (typeof asked === "string" && (this.#ended.has(asked) || this.#mayHaveEnded(asked))) return null;
    const isMessage = event.type === "message_sent" || event.type === "message_received";
    if (isMessage && event.runId !== undefined && this.#mayHaveEnded(event.runId)) return null;
    const wasWaiting = this.#exchanges.get(event.runId ?? "")?.isWaiting === true;
    this.take(event);
    const added = this.#shown;
    this.#shown = [];
    if (added.length > 0) return added.flatMap(newFrames);
    const exchange = this.#exchanges.get(event.runId ?? "");
    if (exchange === undefined) return [];
    const { answerId: id } = exchange;
    // The end can change parts too.
    const metadata = exchange.isOpen ? undefined : answerOf(exchange).metadata;
    const change = exchange.parts.change();
    const frames: readonly ChatFrame[] = [
      ...(wasWaiting && !exchange.isWaiting ? [{ type: "begin", id } as const] : []),
      ...(change === null ? [] : [{ type: "change", id, ...change } as const]),
    ];
    if (exchange.isOpen) return frames;
    this.#forgetEnded();
    return [...frames, { type: "end", id, ...present({ metadata }) }];
  }

  #forgetEnded(): void {
    for (const [runId, { isOpen }] of this.#exchanges) {
      if (isOpen) continue;
      this.#exchanges.delete(runId);
      this.#ended.add(runId);
    }
    this.#hasOlder ||= this.#ended.size > MAX_ENDED;
    keepNewest(this.#ended, MAX_ENDED);
  }

  #mayHaveEnded(runId: string): boolean {
    return this.#hasOlder && !this.#exchanges.has(runId);
  }

  #create({ runId, input, metadata = {} }: Payload<"run_created">): void {
    const { retryOf, [SENT_AS]: sentAs } = metadata;
    const before = typeof retryOf === "string" ? this.#exchanges.get(retryOf) : undefined;
    if (before !== undefined) {
      this.#exchanges.set(runId, before);
      return;
    }
    const id = typeof sentAs === "string" ? sentAs : `${runId}-input`;
    const question = { id, role: "user", parts: partsOf(input) } as const;
    const exchange = {
      question,
      answerId: runId,
      fold: createUIFold(runId, this.#options.failureText),
      parts: new UIParts(),
      isOpen: true,
      isWaiting: true,
    };
    this.#exchanges.set(runId, exchange);
    this.#shown.push(exchange);
  }

  /** Takes a message that belongs to no run, because a program appended it. */
  #takeOther(event: KnownEvent): void {
    if (isEvent(event, "message_sent")) {
      const { content, role, messageId = event.id } = event.data;
      const as = role === "system" || role === "assistant" ? role : "user";
      this.#shown.push({ id: messageId, role: as, parts: partsOf(content) });
    } else if (isEvent(event, "message_received")) {
      const { content, messageId = event.id } = event.data;
      this.#shown.push({ id: messageId, role: "assistant", parts: partsOf(content) });
    }
  }
}

function newFrames(shown: Exchange | ChatMessage): readonly ChatFrame[] {
  if (!("fold" in shown)) return [{ type: "message", message: shown, isOpen: false }];
  const message = answerOf(shown);
  shown.parts.change();
  return [
    { type: "message", message: shown.question, isOpen: false },
    {
      type: "message",
      message,
      isOpen: shown.isOpen,
      ...present({ isWaiting: shown.isWaiting || undefined }),
    },
  ];
}

function takeIn(exchange: Exchange, event: KnownEvent, isRetried: (status: RunStatus) => boolean): void {
  for (const chunk of exchange.fold.take(event)) exchange.parts.take(chunk);
  const status = ENDS[event.type];
  if (status !== undefined) exchange.isOpen = isRetried(status);
  if (event.type === "run_created") exchange.isOpen = true;
  if (event.type === "run_started") exchange.isWaiting = false;
  if (isEvent(event, "error_raised") && event.data.code === GIVEN_UP) exchange.isOpen = false;
}

/** Returns the answer as a reader of the stream has it, with the end of the answer. */
function answerOf({ answerId, fold, parts, isOpen }: Exchange): ChatMessage {
  const ending = isOpen ? [] : fold.end();
  for (const chunk of ending) parts.take(chunk);
  const last = ending.find(({ type }) => type === "message-metadata");
  const metadata = last?.messageMetadata as ChatMetadata | undefined;
  return { id: answerId, role: "assistant", ...present({ metadata }), parts: parts.parts() };
}

function partsOf(input: unknown): readonly UIPart[] {
  const blocks = (typeof input === "string" ? [{ type: "text", text: input }] : input) as readonly Block[];
  if (!Array.isArray(blocks)) return [];
  return blocks.flatMap((block: Block): readonly UIPart[] => {
    if (block.type === "text") return [{ type: "text", text: block.text }];
    const file = filePartOf(block);
    return file === undefined ? [] : [file];
  });
}
