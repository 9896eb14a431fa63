/** Reads histories: short ones in this thread, long ones in another thread. */

import { isOwn } from "@continuo/agents/catalog";
import { HISTORY_LIMITS } from "@continuo/agents/pages";
import type { Message } from "@continuo/core/model";
import { createHistories, nameOf } from "./history/index.ts";
import {
  type AnswerOf,
  type ArgsOf,
  answer,
  type Question,
  type SessionArguments,
  toAsked,
} from "./questions.ts";
import { type ReaderThread, startReaderThread } from "./reader-thread.ts";

export interface HistoryReader {
  /**
   * The newest messages of a long session that was not read yet; `null` if they cannot be read before the others. They
   * begin before the message `before`, unless that would be too many.
   */
  tip(session: SessionArguments, before?: string): Promise<readonly Message[] | null>;
  /** Errors: those of reading the session, and of the question. */
  ask<Q extends Question>(
    question: Q,
    session: SessionArguments,
    args: ArgsOf<Q>,
    signal: AbortSignal,
  ): Promise<AnswerOf<Q>>;
  close(): Promise<void>;
}

/** Reading 100 MB takes seconds. Other requests are answered in the meantime. */
export function createHistoryReader(): HistoryReader {
  const histories = createHistories();
  let thread: ReaderThread | null = null;
  /** Histories that the other thread has read, the most recently used one last. */
  const far = new Set<string>();
  const startedThread = (): ReaderThread => {
    thread ??= startReaderThread(() => {
      thread = null;
      far.clear();
    });
    return thread;
  };
  const isFar = (session: SessionArguments): boolean =>
    !isOwn(session.row) &&
    (session.row.sizeBytes ?? 0) >= HISTORY_LIMITS.smallBytes &&
    // A session that was short when it was first read stays in this thread while it grows.
    !histories.holds(session);
  const noteFar = (session: SessionArguments): void => {
    const name = nameOf(session);
    far.delete(name);
    far.add(name);
    const [oldest] = far;
    if (far.size > HISTORY_LIMITS.keptSessions && oldest !== undefined) far.delete(oldest);
  };
  return {
    tip: async (session, before) =>
      far.has(nameOf(session)) ? null : await histories.tip(toAsked(session), before),
    async ask(question, session, args, signal) {
      if (!isFar(session)) return await answer(histories, { question, session, args }, signal);
      const answered = await startedThread().ask({ question, session, args }, signal);
      noteFar(session);
      return answered;
    },
    async close() {
      histories.close();
      await thread?.close();
    },
  };
}
