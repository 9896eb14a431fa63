/** Indexing while a program runs that answers searches: at its start, and again from time to time. */

import type { Shell } from "../terminal/index.ts";
import { INDEXING_LIMITS } from "./limits.ts";
import { startIndexing, startIndexingOf } from "./start.ts";

/**
 * A search reads the sessions that are not indexed yet, so that new lines are found at once; the index keeps it fast.
 */
export function keepIndexed(shell: Shell): Disposable {
  return startAgainAndAgain(() => startIndexing("list", shell));
}

/** The same for a program that may never be asked for sessions, if the guard was switched on: the process copies them. */
export function keepGuarded(shell: Shell): Disposable {
  return startAgainAndAgain(() => startIndexingOf(0, shell));
}

function startAgainAndAgain(start: () => Promise<unknown>): Disposable {
  void start();
  const timer = setInterval(() => void start(), INDEXING_LIMITS.betweenMs.list + 1_000);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
