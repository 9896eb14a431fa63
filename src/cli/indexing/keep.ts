/** Indexing while a program runs that answers searches: when it starts, and again from time to time. */

import type { Shell } from "../terminal/index.ts";
import { INDEXING_LIMITS } from "./limits.ts";
import { startIndexing } from "./start.ts";

/** A search reads what is not indexed yet, so that new lines are found at once; this keeps it fast. */
export function keepIndexed(shell: Shell): Disposable {
  const start = (): void => void startIndexing("list", shell);
  start();
  const timer = setInterval(start, INDEXING_LIMITS.betweenMs.list + 1_000);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
