/**
 * V8 optimizes a function in other threads after some hundred calls. Most commands end before the optimization saves
 * more time than it costs: without it, a list takes 11 % less processor time, and a search 16 %.
 */

import { setFlagsFromString } from "node:v8";

/** This is elapsed time; on a busy machine, it is several times the processor time. */
const OPTIMIZED_AFTER_MS = 1_000;

/** V8's compilers of frequently called functions, by the names of their flags. */
const OPTIMIZERS = ["maglev", "opt"];

/**
 * Switches off the optimization of V8. If the command still runs after `afterMs`, V8 optimizes as usual, but without
 * the compilers that the user has switched off.
 */
export function optimizeLate(afterMs: number = OPTIMIZED_AFTER_MS): void {
  const chosen = OPTIMIZERS.filter((name) => !process.execArgv.includes(`--no-${name}`));
  for (const name of chosen) setFlagsFromString(`--no-${name}`);
  const goOn = (): void => {
    for (const name of chosen) setFlagsFromString(`--${name}`);
  };
  // The timer does not keep the process alive.
  setTimeout(goOn, afterMs).unref();
}
