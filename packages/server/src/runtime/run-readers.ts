/**
 * The runs that somebody in this process reads with the causes of failures. A run that fails while nobody reads it so
 * is reported, because otherwise nobody would learn of the cause: the streams for people show only a plain sentence.
 */

import { ContinuoError, isContinuoError, type Run } from "@continuo/core/model";
import { rootIn } from "@continuo/store/sessions";

/** Remembers, until it is disposed, whether somebody has read the run: the last reader can leave at its end. */
export interface WatchedRun extends Disposable {
  readonly wasRead: boolean;
}

export class RunReaders {
  /** The number of readers of each run, by the run of its first attempt, and of each session. */
  readonly #reading = new Map<string, number>();
  readonly #watched = new Set<{ readonly run: Run; wasRead: boolean }>();

  /** The events of a run or of a session. They count as read as soon as a reader asks for the first one. */
  async *read<Item>(id: string, events: AsyncIterable<Item>): AsyncGenerator<Item, void> {
    this.#count(id, 1);
    for (const one of this.#watched) one.wasRead ||= this.isReading(one.run);
    try {
      yield* events;
    } finally {
      this.#count(id, -1);
    }
  }

  watch(run: Run): WatchedRun {
    const watched = { run, wasRead: this.isReading(run) };
    this.#watched.add(watched);
    return Object.assign(watched, { [Symbol.dispose]: () => void this.#watched.delete(watched) });
  }

  isReading(run: Run): boolean {
    return this.#reading.has(rootIn(run)) || this.#reading.has(run.sessionId);
  }

  #count(id: string, more: 1 | -1): void {
    const count = (this.#reading.get(id) ?? 0) + more;
    if (count === 0) this.#reading.delete(id);
    else this.#reading.set(id, count);
  }
}

function hintOf(cause: unknown): string | undefined {
  return isContinuoError(cause) ? cause.hint : undefined;
}

/** The failure of a run that nobody reads. */
export function unreadFailure(run: Run, reason: string, cause?: unknown): ContinuoError {
  const [runId, sessionId] = [rootIn(run), run.sessionId];
  const advice =
    "Await `result()` of the run, or read its events, to handle its failure. A stream for people, such as `toSSE`, " +
    "does not count, because it does not have the cause. In a server that only answers " +
    'requests, `onError` of `openContinuo` gets it, and `retry: { on: ["failed"] }` tries such a run again.';
  return new ContinuoError(
    isContinuoError(cause) ? cause.code : "agent_failed",
    `nobody waited for ${nameOf(run)}, which failed: ${reason}`,
    { hint: hintOf(cause) ?? advice, details: { sessionId, runId }, cause },
  );
}

/** The failure of the last attempt of a run that nobody reads: after a crash, a page may not have connected again. */
export function unreadDeadLetter(run: Run, reason: string): ContinuoError {
  const [runId, sessionId] = [rootIn(run), run.sessionId];
  return new ContinuoError(
    "agent_failed",
    `nobody waited for ${nameOf(run)}, which is a dead letter now: ${reason}`,
    {
      hint:
        "When the cause is gone, try it again with `c.deadLetters.retry(runId)`; `c.deadLetters.list()` has all of " +
        "them. `retry: { attempts: 20 }` of `openContinuo` allows more attempts.",
      details: { sessionId, runId },
    },
  );
}

function nameOf(run: Run): string {
  return `the run ${rootIn(run)} of ${JSON.stringify(run.sessionId)}`;
}
