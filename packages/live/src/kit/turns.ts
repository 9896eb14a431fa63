/** Splits long work into short turns, so that other work runs on the event loop every few milliseconds. */

import { setImmediate as otherWork } from "node:timers/promises";
import { LIMITS } from "./limits.ts";

/** Returns a function that lets other work run if enough time has passed since the last time. */
export function breathing(): () => Promise<void> {
  let sinceMs = performance.now();
  return async () => {
    if (performance.now() - sinceMs < LIMITS.heardMs) return;
    await otherWork();
    sinceMs = performance.now();
  };
}

/** Does all steps, one after the other, and returns their result. */
export async function runSteps<Result>(steps: Iterator<void, Result>): Promise<Result> {
  const breathe = breathing();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await breathe();
  }
}
