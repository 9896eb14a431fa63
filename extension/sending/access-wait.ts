/** The wait for a person who gives access on a page of the server. */

import { ContinuoError, isContinuoError } from "@continuo/core/model";
import type { ExtensionAccess } from "@continuo/core/wire";
import { LIMITS } from "../limits.ts";

export interface AccessWait {
  readonly collect: () => Promise<ExtensionAccess>;
  readonly signal: AbortSignal;
  /** Milliseconds; monotonic. */
  readonly now?: () => number;
  readonly pause?: (ms: number) => Promise<void>;
}

/**
 * Asks until the person has answered, and returns the token. Returns `null` when the signal is aborted, even if the
 * person granted access in the meantime.
 * Errors: `forbidden` when the person refused, `unavailable` when the server did not answer for long, those of
 * `collect`.
 */
export async function waitForAccess({
  collect,
  signal,
  now = () => performance.now(),
  pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
}: AccessWait): Promise<string | null> {
  let reachedMs = now();
  while (!signal.aborted) {
    try {
      const answer = await collect();
      reachedMs = now();
      if (signal.aborted) return null;
      if (answer.state === "refused") throw refused();
      if (answer.state === "granted") return answer.token;
    } catch (error) {
      // The server may be starting again.
      const isAway = isContinuoError(error, "unavailable") && now() - reachedMs < LIMITS.accessAwayMs;
      if (!isAway) throw error;
    }
    await pause(LIMITS.accessPollMs);
  }
  return null;
}

function refused(): ContinuoError {
  return new ContinuoError("forbidden", "you refused the extension on the page of the server", {
    hint: "Press Connect to try again.",
  });
}
