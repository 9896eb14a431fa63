/**
 * Answers one request: it sends the present messages of the thread, then new events, and the end. A client that asks
 * again gets all messages up to now, and nothing twice.
 */

import { setTimeout as pause } from "node:timers/promises";
import { ContinuoError, present, readAll } from "@continuo/core/model";
import {
  type Approval,
  type Authorization,
  type Continuo,
  failureOf,
  isKnownEvent,
  shownEvents,
  type UIChunk,
} from "@continuo/server/runtime";
import type { AgUiEvent, Interrupt, Message } from "./events.ts";
import type { RunRequest } from "./input.ts";
import { LIMITS } from "./limits.ts";
import { type Exchange, type Question, Thread } from "./thread.ts";

/** The permissions of the caller. */
export interface Reader {
  readonly canWrite: boolean;
  readonly canApprove: boolean;
  readonly by: string | undefined;
}

export interface OpenRun {
  readonly asked: RunRequest;
  readonly reader: Reader;
  readonly thread: Thread;
}

interface OpenOptions {
  readonly asked: RunRequest;
  readonly reader: Reader;
  readonly newSession: Authorization["newSession"];
  readonly agent?: string;
}

/** Reads the thread, and sends its message if it is new. Errors: `forbidden`, `invalid`. */
export async function openRun(
  c: Continuo,
  { asked, reader, newSession, agent }: OpenOptions,
): Promise<OpenRun> {
  const { threadId, question } = asked;
  const thread = new Thread(c.failureText);
  if ((await c.store.getSession(threadId)) !== null) await catchUp(c, threadId, thread);
  if (question === undefined || thread.knows(question.id)) return { asked, reader, thread };
  if (!reader.canWrite) throw new ContinuoError("forbidden", "the caller may not write in this thread");
  const session = c.session(threadId, { ...newSession?.(threadId), create: true });
  await session.send(question.input(), { id: question.id, ...present({ agent }) });
  await catchUp(c, threadId, thread);
  return { asked, reader, thread };
}

async function catchUp(c: Continuo, threadId: string, thread: Thread): Promise<void> {
  for await (const event of readAll(c.store, threadId, { after: thread.sequence })) {
    if (isKnownEvent(event)) thread.take(event);
  }
}

export async function* streamRun(
  c: Continuo,
  { asked, reader, thread }: OpenRun,
  signal: AbortSignal,
): AsyncGenerator<AgUiEvent, void> {
  const { threadId, runId } = asked;
  const shown = new ClientMessages(asked.shown);
  yield { type: "RUN_STARTED", threadId, runId };
  try {
    const exchange = thread.last();
    yield* shown.snapshot(thread.messages(exchange));
    const end = exchange && (yield* streamAnswer(c, { asked, reader, thread, exchange, shown, signal }));
    // A client that connects again receives the end of the run.
    if (!signal.aborted) yield end ?? finished(asked, { type: "success" });
  } catch (error) {
    if (!signal.aborted) yield { type: "RUN_ERROR", message: c.failureText(failureOf(error)) };
  }
}

interface AnswerRun extends OpenRun {
  readonly exchange: Exchange;
  readonly shown: ClientMessages;
  readonly signal: AbortSignal;
}

/** Yields everything that is new in the last answer, and returns its present end. */
async function* streamAnswer(
  c: Continuo,
  answering: AnswerRun,
): AsyncGenerator<AgUiEvent, AgUiEvent | undefined> {
  const { asked, reader, thread, exchange, shown, signal } = answering;
  const { answer, fold, runId } = exchange;
  const others = new EarlierAnswers(c, answering);
  yield* answer.reopening();
  answer.isChanged = false;
  const session = c.session(asked.threadId);
  const events = shownEvents(session.run(runId), { after: thread.sequence, signal });
  let interrupts = reader.canApprove ? await openInterrupts(c, thread.askedUpTo(exchange)) : [];
  if (interrupts.length === 0 && reader.canApprove)
    interrupts = await earlierInterrupts(c, answering, others);
  if (interrupts.length === 0) {
    for await (const event of events) {
      const isBegin = event.type === "run_started";
      if (isBegin) await others.take({ before: event.sequence });
      yield* thread.take(event);
      if (isBegin && (others.isChanged || answer.isChanged)) {
        yield* shown.snapshot(thread.messages(exchange));
        others.isChanged = false;
        answer.isChanged = false;
      }
      if (event.type !== "approval_requested" || !reader.canApprove) continue;
      interrupts = await openInterrupts(c, thread.askedUpTo(exchange));
      if (interrupts.length > 0) break;
    }
  }
  if (signal.aborted) return undefined;
  if (interrupts.length > 0) {
    yield* answer.closing();
    return finished(asked, { type: "interrupt", interrupts });
  }
  const chunks = fold.end();
  for (const chunk of chunks) yield* answer.take(chunk);
  await others.take({});
  const isEarlierEnded = thread.endBefore(exchange);
  if (isEarlierEnded || others.isChanged || answer.isChanged) {
    yield* shown.snapshot(thread.messages(exchange));
  }
  return endOf(chunks.at(-1), asked);
}

/**
 * Waits for the answers to earlier messages. Returns the first questions that are asked in the meantime; none if the
 * earlier answers have ended.
 */
async function earlierInterrupts(
  c: Continuo,
  answering: AnswerRun,
  others: EarlierAnswers,
): Promise<Interrupt[]> {
  const { asked, thread, exchange, signal } = answering;
  const after = thread.sequence;
  const unsure = thread.openBefore(exchange);
  if (unsure.length === 0) return [];
  const session = c.session(asked.threadId);
  const { open } = await session.chat();
  for (const { runId } of unsure.filter((earlier) => open.includes(earlier.runId))) {
    for await (const event of shownEvents(session.run(runId), { after, signal })) {
      if (event.type !== "approval_requested") continue;
      await others.take({});
      const interrupts = await openInterrupts(c, thread.askedUpTo(exchange));
      if (interrupts.length > 0) return interrupts;
    }
  }
  return [];
}

/** Reads changes of earlier answers, which are sent when the last answer begins and when it has ended. */
class EarlierAnswers {
  readonly #c: Continuo;
  readonly #answering: AnswerRun;
  #after: number;
  isChanged = false;

  constructor(c: Continuo, answering: AnswerRun) {
    this.#c = c;
    this.#answering = answering;
    this.#after = answering.thread.sequence;
  }

  async take(range: { readonly before?: number }): Promise<void> {
    const { asked, thread, exchange } = this.#answering;
    for await (const event of readAll(this.#c.store, asked.threadId, { after: this.#after, ...range })) {
      this.#after = event.sequence;
      if (!isKnownEvent(event) || thread.exchangeOf(event.runId) === exchange) continue;
      thread.take(event);
      this.isChanged = true;
    }
  }
}

/** The messages that a client shows, in its order. */
class ClientMessages {
  #ids: readonly string[];

  constructor(ids: readonly string[]) {
    this.#ids = ids;
  }

  /**
   * A client keeps the order of its messages and appends new ones, so messages at a wrong position are removed first.
   */
  *snapshot(messages: readonly Message[]): Generator<AgUiEvent, void> {
    const ids = messages.map(({ id }) => id);
    const kept = this.#ids.filter((id) => ids.includes(id));
    const place = kept.findIndex((id, at) => id !== ids[at]);
    if (place !== -1) yield { type: "MESSAGES_SNAPSHOT", messages: messages.slice(0, place) };
    yield { type: "MESSAGES_SNAPSHOT", messages: [...messages] };
    this.#ids = ids;
  }
}

/** Returns questions that are not answered yet. */
async function openInterrupts(
  c: Continuo,
  asked: readonly (readonly [string, Question])[],
): Promise<Interrupt[]> {
  const interrupts: Interrupt[] = [];
  for (const [id, { toolCallId, message }] of asked) {
    const approval = await storedApproval(c, id);
    if (approval !== null && approval.status !== "open") continue;
    const told = present({ toolCallId, message });
    interrupts.push({ id, reason: "tool_call", responseSchema: ANSWER_SCHEMA, ...told });
  }
  return interrupts;
}

/** Waits a moment if needed, because the event of a question may be read before the question can be answered. */
async function storedApproval(c: Continuo, id: string): Promise<Approval | null> {
  const end = performance.now() + LIMITS.storedWithinMs;
  for (;;) {
    const approval = await c.approvals.get(id);
    if (approval !== null || performance.now() > end) return approval;
    await pause(LIMITS.storedPauseMs);
  }
}

const ANSWER_SCHEMA: Readonly<Record<string, unknown>> = {
  type: "object",
  properties: { approved: { type: "boolean" }, reason: { type: "string" } },
  required: ["approved"],
};

type Outcome = Extract<AgUiEvent, { readonly type: "RUN_FINISHED" }>["outcome"];

function finished({ threadId, runId }: RunRequest, outcome: Outcome): AgUiEvent {
  return { type: "RUN_FINISHED", threadId, runId, ...present({ outcome }) };
}

/** @param chunk the last chunk of the answer */
function endOf(chunk: UIChunk | undefined, asked: RunRequest): AgUiEvent {
  if (chunk?.type === "error") return { type: "RUN_ERROR", message: String(chunk.errorText) };
  if (chunk?.type !== "abort") return finished(asked, { type: "success" });
  if (chunk.reason === "run_cancelled") return finished(asked, { type: "cancelled" });
  const isLate = chunk.reason === "run_timed_out";
  return {
    type: "RUN_ERROR",
    message: isLate ? "The run took too long." : "The run was interrupted.",
    code: String(chunk.reason),
  };
}
