/** Indexing while a program runs that answers searches: at its start, and again from time to time. */

import type { Shell } from "../terminal/index.ts";
import { INDEXING_LIMITS } from "./limits.ts";
import { startIndexing, startIndexingOf } from "./start.ts";

/**
 * Starts indexing processes, now and from time to time, until it is disposed. A search also reads sessions that are not
 * indexed yet, but the index makes it fast.
 */
export function keepIndexed(shell: Shell): Disposable {
  return startAgainAndAgain(() => startIndexing("list", shell));
}

/**
 * Does the same if the guard was switched on, for a program that may never be asked for sessions: the process also
 * copies sessions for the guard.
 */
export function keepGuarded(shell: Shell): Disposable {
  return startAgainAndAgain(() => startIndexingOf(0, shell));
}

function startAgainAndAgain(start: () => Promise<unknown>): Disposable {
  void start();
  const timer = setInterval(() => void start(), INDEXING_LIMITS.betweenMs.list + 1_000);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
