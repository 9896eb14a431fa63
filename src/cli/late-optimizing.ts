/**
 * V8 optimizes a function in other threads after it was called some hundred times. Most commands end before they win back
 * what that costs: without it, a list takes 11 % less processor time, and a search 16 %.
 */

import { setFlagsFromString } from "node:v8";

/** The clock counts, which on a busy machine is several times the processor time. */
const OPTIMIZED_AFTER_MS = 1_000;

/** V8's compilers of functions that are called often, by the names of their flags. */
const OPTIMIZERS = ["maglev", "opt"];

/**
 * From now on V8 optimizes nothing; a command that still works after a second is optimized as usual, but for what the
 * person switched off.
 */
export function optimizeLate(afterMs: number = OPTIMIZED_AFTER_MS): void {
  const chosen = OPTIMIZERS.filter((name) => !process.execArgv.includes(`--no-${name}`));
  for (const name of chosen) setFlagsFromString(`--no-${name}`);
  const goOn = (): void => {
    for (const name of chosen) setFlagsFromString(`--${name}`);
  };
  // A command does not wait for it.
  setTimeout(goOn, afterMs).unref();
}
