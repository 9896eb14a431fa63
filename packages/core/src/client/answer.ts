/**
 * `answer()`: one input of an agent, from its claim to the end of its run. A crash neither loses the answer nor repeats
 * it: the next attempt hides what the last one left unfinished, and an answer that was complete is not given again.
 */

import { isContinuoError } from "../model/index.ts";
import type { ClaimedInput, RunEnd } from "../wire/index.ts";
import type { ClientEvent } from "./events.ts";
import { LIMITS } from "./limits.ts";

/** A text, or its parts, which readers receive while they are written. */
export type AnswerWords = string | AsyncIterable<string>;

/** An input as its agent receives it: with the author's last edit. */
export interface AnswerInput {
  /**
   * Names this text: the `messageId`, or after an edit the id of the edit. The input that comes again after a crash has
   * the same `id` if it has the same text, so that `send(content, { id })` asks a session for each text once.
   */
  readonly id: string;
  readonly content: string;
  readonly from: string;
  readonly messageId: string;
  /** 1 for the first; more after an interruption. */
  readonly attempt: number;
}

/**
 * `skipped`: the event is not an input of this agent, or it was answered or given up before. `failed`: the words failed
 * with `error`; the channel has `text`, which ends with a sentence that says so.
 */
export type AnswerResult =
  | { readonly status: "completed"; readonly messageId: string; readonly text: string }
  | { readonly status: "failed"; readonly messageId: string; readonly text: string; readonly error: unknown }
  | { readonly status: "skipped" };

/** The parts of a client that an answer needs. */
export interface AnswerPort {
  claim(sequence: number): Promise<ClaimedInput>;
  pass(sequence: number): Promise<void>;
  open(messageId: string, text: string, replyTo: string): Promise<unknown>;
  update(messageId: string, delta: string): Promise<void>;
  complete(messageId: string): Promise<void>;
  delete(messageId: string): Promise<void>;
  endRun(runId: string, end: AnswerEnd): Promise<void>;
}

interface AnswerEnd {
  readonly status: RunEnd;
  readonly answer?: string;
  readonly error?: { readonly code: string; readonly message: string };
}

type Claim = Extract<ClaimedInput, { readonly state: "claimed" }>;
type Words = AnswerWords | ((input: AnswerInput) => AnswerWords | Promise<AnswerWords>);

/** The end of an answer whose words failed. The readers do not receive the error. */
const FAILED = "The answer failed.";

/** The answers of one client, one after the other: the server takes inputs in their order. */
export class Answers {
  readonly #port: AnswerPort;
  /** Inputs that were claimed and not ended. */
  readonly #begun = new Set<number>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(port: AnswerPort) {
    this.#port = port;
  }

  answer(event: ClientEvent, words: Words): Promise<AnswerResult> {
    const answered = this.#last.then(() => this.#answer(event, words));
    this.#last = answered.catch(() => undefined);
    return answered;
  }

  async #answer(event: ClientEvent, words: Words): Promise<AnswerResult> {
    const { sequence } = event;
    if (!isInput(event) || sequence === undefined) return { status: "skipped" };
    const claim = await this.#claim(sequence);
    if (claim.state === "done") return { status: "skipped" };
    this.#begun.add(sequence);
    const source = new Source(claim, words);
    try {
      const result = await this.#deliver(sequence, claim, source);
      this.#begun.delete(sequence);
      return result;
    } finally {
      await source.close();
    }
  }

  /** Inputs before this one that nobody wanted to answer count as answered. */
  async #claim(sequence: number): Promise<ClaimedInput> {
    for (;;) {
      try {
        return await this.#port.claim(sequence);
      } catch (error) {
        const earlier = isContinuoError(error, "conflict") ? error.details.sequence : undefined;
        if (typeof earlier !== "number" || earlier >= sequence || this.#begun.has(earlier)) throw error;
        await this.#port.pass(earlier);
      }
    }
  }

  async #deliver(sequence: number, first: Claim, source: Source): Promise<AnswerResult> {
    for (let claim = first; ; ) {
      try {
        return await this.#write(claim, source);
      } catch (error) {
        if (!isContinuoError(error, "conflict")) throw error;
        // The connection was lost for so long that the server ended the message. Another message continues the answer.
        const again = await this.#port.claim(sequence);
        if (again.state === "done") return { status: "skipped" };
        if (again.runId === claim.runId) throw error;
        claim = again;
      }
    }
  }

  async #write(claim: Claim, source: Source): Promise<AnswerResult> {
    const { runId, answerId, messageId: replyTo, earlierAnswerIds = [] } = claim;
    for (const messageId of earlierAnswerIds) await this.#port.delete(messageId).catch(ignoreHidden);
    let isOpen = source.text !== "";
    if (isOpen) await this.#port.open(answerId, source.text, replyTo);
    let unconfirmed = 0;
    for (let part = await source.next(); part !== undefined; part = await source.next()) {
      if (!isOpen) await this.#port.open(answerId, "", replyTo);
      isOpen = true;
      const stored = this.#port.update(answerId, part);
      // The end of the message also reports a part that was refused.
      stored.catch(() => undefined);
      unconfirmed += part.length;
      if (unconfirmed < LIMITS.deltaLength) continue;
      unconfirmed = 0;
      await stored;
    }
    if (isOpen) await this.#port.complete(answerId);
    const { text, failure } = source;
    if (failure === undefined) {
      await this.#port.endRun(runId, { status: "completed", answer: text });
      return { status: "completed", messageId: answerId, text };
    }
    const message = messageOf(failure.error).slice(0, 1_000);
    await this.#port.endRun(runId, { status: "failed", error: { code: "agent_failed", message } });
    return { status: "failed", messageId: answerId, text, error: failure.error };
  }
}

function isInput(event: ClientEvent): boolean {
  if (!event.addressed || event.own) return false;
  return event.type === "complete" || (event.type === "message" && event.state === "complete");
}

/** The words of one answer, over all attempts of this client. */
class Source {
  readonly #parts: AsyncGenerator<string, void>;
  text = "";
  failure: { readonly error: unknown } | undefined;

  constructor(claim: Claim, words: Words) {
    this.#parts = partsOf(claim, words);
  }

  /** The next words; `undefined` after the last ones. */
  async next(): Promise<string | undefined> {
    if (this.failure !== undefined) return undefined;
    for (;;) {
      try {
        const { done, value } = await this.#parts.next();
        if (done === true) return undefined;
        if (value === "") continue;
        this.text += value;
        return value;
      } catch (error) {
        this.failure = { error };
        const sentence = this.text === "" ? FAILED : `\n\n${FAILED}`;
        this.text += sentence;
        return sentence;
      }
    }
  }

  /** Ends words that nobody waits for any more. */
  async close(): Promise<void> {
    await this.#parts.return().catch(() => undefined);
  }
}

async function* partsOf(claim: Claim, words: Words): AsyncGenerator<string, void> {
  const { content, from, messageId, editId: id = messageId, attempt } = claim;
  const given = typeof words === "function" ? await words({ id, content, from, messageId, attempt }) : words;
  if (typeof given === "string") yield given;
  else yield* given;
}

/** Ignores the errors for a message that was never begun, or that is already hidden. */
function ignoreHidden(error: unknown): void {
  if (!isContinuoError(error, "not_found") && !isContinuoError(error, "conflict")) throw error;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
