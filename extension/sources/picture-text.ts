/** The text in pictures, read by a worker of the extension: one picture at a time, within a time limit. */

import { LIMITS } from "../limits.ts";
import type { Failure } from "../sending/view.ts";
import type { TextAnswer, TextQuestion } from "./tesseract.ts";

export interface TextWorker {
  ask(question: TextQuestion, answered: (answer: TextAnswer) => void): void;
  terminate(): void;
}

/** Reads a picture. It never fails: the text is empty, and `failure` says why. */
export class PictureText {
  readonly #start: () => TextWorker;
  #worker: TextWorker | null = null;
  #turn: Promise<unknown> = Promise.resolve();
  #failure: Failure | null = null;
  #failedAtMs = Number.NEGATIVE_INFINITY;
  #idle: ReturnType<typeof setTimeout> | undefined;

  constructor(start: () => TextWorker) {
    this.#start = start;
  }

  /** Why the last picture was not read; `null` if it was. */
  get failure(): Failure | null {
    return this.#failure;
  }

  /** Empty if the picture has no text. */
  read(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
    const text = this.#turn.then(() => this.#read(bytes));
    this.#turn = text;
    return text;
  }

  /** Gives the memory of the worker back. */
  close(): void {
    clearTimeout(this.#idle);
    this.#worker?.terminate();
    this.#worker = null;
  }

  async #read(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
    if (Date.now() - this.#failedAtMs < LIMITS.readTextPauseMs) return "";
    clearTimeout(this.#idle);
    try {
      const text = await this.#ask(bytes);
      this.#failure = null;
      this.#idle = setTimeout(() => this.close(), LIMITS.readTextIdleMs);
      return text;
    } catch (error) {
      this.close();
      this.#failedAtMs = Date.now();
      this.#failure = { message: "the text in pictures cannot be read", hint: String(error) };
      return "";
    }
  }

  async #ask(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
    this.#worker ??= this.#start();
    const answered = Promise.withResolvers<TextAnswer>();
    const timer = setTimeout(() => answered.resolve({ error: "it took too long" }), LIMITS.readTextMs);
    this.#worker.ask({ bytes }, answered.resolve);
    const answer = await answered.promise;
    clearTimeout(timer);
    if ("error" in answer) throw new Error(answer.error);
    return answer.text;
  }
}
