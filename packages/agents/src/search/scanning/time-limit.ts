/** Work that may take forever, such as a regular expression, with an end. */

import { runInNewContext } from "node:vm";
import { ContinuoError } from "@continuo/core/model";

/**
 * Only a context of its own can be stopped within a regular expression. The caller must close what it leaves open.
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
