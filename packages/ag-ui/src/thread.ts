/** Converts the log of a session to the messages of a thread, and each event to the changes for a client. */

import {
  type Block,
  isEvent,
  type KnownEvent,
  type Payload,
  present,
  RUN_END_STATUSES,
  RUN_EVENTS,
  textOf,
} from "@continuo/core/model";
import { createUIFold, type FailureText, type UIFold } from "@continuo/server/runtime";
import { Answer, CallIds } from "./answer.ts";
import type { AgUiEvent, Message } from "./events.ts";

/** An input and its answer, over all attempts. */
export interface Exchange {
  /** The run of the first attempt. */
  readonly runId: string;
  readonly question: Message;
  readonly answer: Answer;
  readonly fold: UIFold;
  /** Questions of the last attempt, by the ids of their approvals. */
  readonly asked: Map<string, Question>;
  /** True if no attempt can follow. */
  isOver: boolean;
}

export interface Question {
  readonly toolCallId: string | undefined;
  readonly message: string | undefined;
}

export class Thread {
  readonly #shown: (Exchange | Message)[] = [];
  /** The exchanges by the runs of their attempts. */
  readonly #exchanges = new Map<string, Exchange>();
  readonly #callIds = new CallIds();
  /** The last event that was taken. */
  sequence = 0;
  readonly #failureText: FailureText | undefined;

  /** @param failureText makes the words of failures */
  constructor(failureText?: FailureText) {
    this.#failureText = failureText;
  }

  /** Applies an event, and returns the changes of the answer. */
  take(event: KnownEvent): readonly AgUiEvent[] {
    this.sequence = Math.max(this.sequence, event.sequence);
    if (event.type === "run_created") this.#create(event.data);
    const exchange = this.exchangeOf(event.runId);
    if (exchange === undefined) {
      const message = otherMessage(event);
      if (message !== undefined) this.#shown.push(message);
      return [];
    }
    takeApprovals(exchange, event);
    if (event.type in STATES) exchange.isOver = STATES[event.type] ?? false;
    const chunks = [...exchange.fold.take(event), ...(exchange.isOver ? exchange.fold.end() : [])];
    return chunks.flatMap((chunk) => exchange.answer.take(chunk));
  }

  /**
   * Ends the exchanges before this one, which has ended: their calls without a result have failed. Returns true if
   * there was such a call.
   */
  endBefore(exchange: Exchange): boolean {
    const events = this.openBefore(exchange).flatMap(({ fold, answer }) =>
      fold.end().flatMap((chunk) => answer.take(chunk)),
    );
    return events.some(({ type }) => type === "TOOL_CALL_RESULT");
  }

  exchangeOf(runId: string | undefined): Exchange | undefined {
    return runId === undefined ? undefined : this.#exchanges.get(runId);
  }

  last(): Exchange | undefined {
    return this.#shown.findLast((shown): shown is Exchange => "fold" in shown);
  }

  /** Returns earlier exchanges that may still wait for their answer. */
  openBefore(exchange: Exchange): readonly Exchange[] {
    return this.#upTo(exchange).filter((earlier) => earlier !== exchange && !earlier.isOver);
  }

  /** Returns the questions of this exchange and of the earlier ones for which it waits. */
  askedUpTo(exchange: Exchange): readonly (readonly [string, Question])[] {
    return this.#upTo(exchange).flatMap(({ asked }) => [...asked]);
  }

  #upTo(exchange: Exchange): readonly Exchange[] {
    const shown = this.#shown.slice(0, this.#shown.indexOf(exchange) + 1);
    return shown.filter((one): one is Exchange => "fold" in one);
  }

  knows(messageId: string): boolean {
    return this.#shown.some((shown) => ("fold" in shown ? shown.question : shown).id === messageId);
  }

  /** The messages up to the answer of an exchange. */
  messages(until: Exchange | undefined): readonly Message[] {
    const end = until === undefined ? this.#shown.length : this.#shown.indexOf(until) + 1;
    return this.#shown
      .slice(0, end)
      .flatMap((shown) => ("fold" in shown ? [shown.question, ...shown.answer.messages()] : [shown]));
  }

  #create({ runId, input, metadata = {} }: Payload<"run_created">): void {
    const { retryOf, sentAs } = metadata;
    const before = typeof retryOf === "string" ? this.#exchanges.get(retryOf) : undefined;
    if (before !== undefined) {
      this.#exchanges.set(runId, before);
      return;
    }
    const id = typeof sentAs === "string" ? sentAs : `${runId}-input`;
    const exchange: Exchange = {
      runId,
      question: { id, role: "user", content: contentOf(input) },
      answer: new Answer(runId, this.#callIds),
      fold: createUIFold(runId, this.#failureText),
      asked: new Map(),
      isOver: false,
    };
    this.#exchanges.set(runId, exchange);
    this.#shown.push(exchange);
  }
}

/** True for an end after which no attempt follows. */
const STATES: Readonly<Partial<Record<string, boolean>>> = {
  run_created: false,
  [RUN_EVENTS.completed]: true,
  [RUN_EVENTS.cancelled]: true,
};

const OVER: ReadonlySet<string> = new Set([
  ...["run_started", "run_cancel_requested"],
  ...RUN_END_STATUSES.map((status) => RUN_EVENTS[status]),
]);

function takeApprovals({ asked, answer }: Exchange, event: KnownEvent): void {
  // The questions of an attempt that was stopped or has ended are no longer open; the next attempt asks again.
  if (OVER.has(event.type)) asked.clear();
  if (isEvent(event, "approval_requested")) {
    const { approvalId, toolCallId, title, toolName } = event.data;
    asked.set(approvalId, { toolCallId: answer.callIdOf(toolCallId), message: title ?? toolName });
  }
  if (isEvent(event, "approval_resolved")) asked.delete(event.data.approvalId);
}

/** Returns a message that belongs to no run, such as one that a program appended; `undefined` for any other event. */
function otherMessage(event: KnownEvent): Message | undefined {
  if (!isEvent(event, "message_sent") && !isEvent(event, "message_received")) return undefined;
  const { content, messageId: id = event.id } = event.data;
  const role = isEvent(event, "message_sent") ? event.data.role : "assistant";
  if (role === "assistant" || role === "system") {
    return { id, role, content: typeof content === "string" ? content : textOf(content) };
  }
  return { id, role: "user", content: contentOf(content) };
}

type UserContent = Extract<Message, { readonly role: "user" }>["content"];

/** A single text block becomes a string. Content that is stored only in a blob is left out. */
function contentOf(input: unknown): UserContent {
  if (typeof input === "string") return input;
  const blocks: readonly Block[] = Array.isArray(input) ? input : [];
  const [first] = blocks;
  if (blocks.length === 1 && first?.type === "text") return first.text;
  return blocks.flatMap((block): Exclude<UserContent, string> => {
    if (block.type === "text") return [{ type: "text", text: block.text }];
    if (block.type !== "image" && block.type !== "file") return [];
    const { mimeType, data, url } = block;
    const type = block.type === "image" ? "image" : "document";
    if (data !== undefined) return [{ type, source: { type: "data", value: data, mimeType } }];
    return url === undefined ? [] : [{ type, source: { type: "url", value: url, ...present({ mimeType }) } }];
  });
}
