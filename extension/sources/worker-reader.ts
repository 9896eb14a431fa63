/** A worker of the extension that converts pictures or speech to text: one at a time, within a time limit. */

import { LIMITS } from "../limits.ts";
import type { Failure } from "../sending/view.ts";

export type TextAnswer = { readonly text: string } | { readonly error: string };

export interface TextWorker<Question> {
  ask(question: Question, answered: (answer: TextAnswer) => void): void;
  terminate(): void;
}

export interface ReaderOptions<Question> {
  readonly start: () => TextWorker<Question>;
  /** The message of a failure. */
  readonly failure: string;
  /** The time limit of one question. */
  readonly timeMs: number;
  /** The worker frees its memory when no question came for this time. */
  readonly idleMs: number;
}

/** Reading never fails: the text is empty, and `failure` says why. */
export class WorkerReader<Question> {
  readonly #options: ReaderOptions<Question>;
  #worker: TextWorker<Question> | null = null;
  #turn: Promise<unknown> = Promise.resolve();
  #failure: Failure | null = null;
  #failedAtMs = Number.NEGATIVE_INFINITY;
  #idle: ReturnType<typeof setTimeout> | undefined;

  constructor(options: ReaderOptions<Question>) {
    this.#options = options;
  }

  /** The reason why the last question was not answered; `null` if it was. */
  get failure(): Failure | null {
    return this.#failure;
  }

  /** Empty if there is no text. */
  read(question: Question): Promise<string> {
    const text = this.#turn.then(() => this.#read(question));
    this.#turn = text;
    return text;
  }

  /** Frees the memory of the worker. */
  close(): void {
    clearTimeout(this.#idle);
    this.#worker?.terminate();
    this.#worker = null;
  }

  async #read(question: Question): Promise<string> {
    if (Date.now() - this.#failedAtMs < LIMITS.readTextPauseMs) return "";
    clearTimeout(this.#idle);
    try {
      const text = await this.#ask(question);
      this.#failure = null;
      this.#idle = setTimeout(() => this.close(), this.#options.idleMs);
      return text;
    } catch (error) {
      this.close();
      this.#failedAtMs = Date.now();
      this.#failure = { message: this.#options.failure, hint: String(error) };
      return "";
    }
  }

  async #ask(question: Question): Promise<string> {
    this.#worker ??= this.#options.start();
    const answered = Promise.withResolvers<TextAnswer>();
    const late = (): void => answered.resolve({ error: "it took too long" });
    const timer = setTimeout(late, this.#options.timeMs);
    this.#worker.ask(question, answered.resolve);
    const answer = await answered.promise;
    clearTimeout(timer);
    if ("error" in answer) throw new Error(answer.error);
    return answer.text;
  }
}

/** True if the extension has the file of a reader. Some builds and packages do not include it. */
export async function hasFile(path: string): Promise<boolean> {
  try {
    return (await fetch(path, { method: "HEAD" })).ok;
  } catch {
    // The file is missing.
    return false;
  }
}
