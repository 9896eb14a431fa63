/** Sets a time limit for work that may take forever, such as a regular expression. */

import { runInNewContext } from "node:vm";
import { ContinuoError } from "@continuo/core/model";

/**
 * A regular expression can be stopped only in a separate context. The caller must close what the work leaves open.
 *
 * Errors: `too_large` if the time was not enough.
 */
export function withTimeLimit<T>(timeMs: number, run: () => T): T {
  try {
    return runInNewContext("run()", { run }, { timeout: timeMs });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
    throw tooLong(timeMs);
  }
}

export function tooLong(timeMs: number): ContinuoError {
  return new ContinuoError("too_large", `the search did not end within ${timeMs / 1000} s`, {
    hint: "Write a regular expression with fewer repetitions, or name a project, an agent or a time.",
  });
}
