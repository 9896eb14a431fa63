/** The caller's side of the thread that reads long sessions. */

import { Worker } from "node:worker_threads";
import { ContinuoError, type ErrorCode, messageOf, present } from "@continuo/core/model";
import { besideBundle } from "@continuo/files";
import type { AnswerOf, ArgsOf, Question, SessionArguments } from "./questions.ts";

export interface QuestionCall<Q extends Question> {
  readonly question: Q;
  readonly session: SessionArguments;
  readonly args: ArgsOf<Q>;
}

export type ToThread =
  | { readonly type: "ask"; readonly id: number; readonly asked: QuestionCall<Question> }
  /** The caller no longer waits for the answer. */
  | { readonly type: "leave"; readonly id: number };

export type FromThread =
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly error: PlainError };

/** An error sent between threads; an error without a code is a mistake in our code. */
export interface PlainError {
  readonly code?: ErrorCode;
  readonly message: string;
  readonly hint?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

export interface ReaderThread {
  /** Errors: those of reading the session, and of the question; `unavailable` when the thread ended. */
  ask<Q extends Question>(asked: QuestionCall<Q>, signal: AbortSignal): Promise<AnswerOf<Q>>;
  close(): Promise<void>;
}

type PendingAnswer = PromiseWithResolvers<unknown>;

/**
 * @param onEnd called once when the thread has ended: by itself, for example because a session needed all of its memory,
 * or by `close()`
 */
export function startReaderThread(onEnd: () => void): ReaderThread {
  const worker = new Worker(besideBundle(import.meta.filename, "reader-worker"), { execArgv: [] });
  const waiting = new Map<number, PendingAnswer>();
  let lastId = 0;
  /** Only a question that waits for its answer keeps the process alive. */
  const settle = (id: number): PendingAnswer | undefined => {
    const one = waiting.get(id);
    waiting.delete(id);
    if (waiting.size === 0) worker.unref();
    return one;
  };
  const failAll = (why: string): void => {
    for (const id of [...waiting.keys()]) settle(id)?.reject(new ContinuoError("unavailable", why));
  };
  worker.unref();
  worker.on("message", (message: FromThread) => {
    const one = settle(message.id);
    if ("answer" in message) one?.resolve(message.answer);
    else one?.reject(fromPlain(message.error));
  });
  worker.on("error", (error) => failAll(`reading the session failed: ${messageOf(error)}`));
  worker.on("exit", () => {
    failAll("reading the session was ended");
    onEnd();
  });
  const post = (message: ToThread): void => worker.postMessage(message);
  return {
    async ask<Q extends Question>(asked: QuestionCall<Q>, signal: AbortSignal) {
      signal.throwIfAborted();
      const id = ++lastId;
      const one: PendingAnswer = Promise.withResolvers();
      waiting.set(id, one);
      worker.ref();
      const leave = (): void => {
        post({ type: "leave", id });
        settle(id)?.reject(signal.reason);
      };
      signal.addEventListener("abort", leave, { once: true });
      try {
        post({ type: "ask", id, asked: plain(asked) });
        return (await one.promise) as AnswerOf<Q>;
      } finally {
        signal.removeEventListener("abort", leave);
        settle(id);
      }
    },
    close: async () => {
      await worker.terminate();
    },
  };
}

/** The environment of a process cannot be sent to a thread directly. */
function plain<Q extends Question>({ session, ...asked }: QuestionCall<Q>): QuestionCall<Q> {
  const { home, cwd, env } = session.places;
  return { ...asked, session: { ...session, places: { home, cwd, env: { ...env } } } };
}

export function toPlain(error: unknown): PlainError {
  if (!(error instanceof ContinuoError)) return { message: messageOf(error) };
  const { code, message, hint, details } = error;
  return present({ code, message, hint, details: JSON.parse(JSON.stringify(details)) });
}

function fromPlain({ code, message, ...parts }: PlainError): Error {
  return code === undefined ? new Error(message) : new ContinuoError(code, message, parts);
}
