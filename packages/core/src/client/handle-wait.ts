/**
 * Waits for the handle of a participant that may have died, such as a process that was killed together with its server:
 * the refusal states when the handle becomes free. A holder that is alive renews its lease in the meantime, which moves
 * that time.
 */

import type { ContinuoError } from "../model/index.ts";

/** A holder that is alive moves the time by at least this much; a slow network moves it by less. */
const MOVED_MS = 1_500;

export class HandleWait {
  #freeAt: number | null = null;

  /**
   * Returns true if the handle that was refused may be free soon.
   *
   * @param nowMs the time of a clock that only goes forward
   */
  isOpen({ code, details }: ContinuoError, nowMs: number): boolean {
    // A server that knows that the holder is connected names no time.
    if (code !== "handle_taken" || typeof details.leftMs !== "number") return false;
    const freeAt = nowMs + details.leftMs;
    this.#freeAt ??= freeAt;
    return freeAt - this.#freeAt < MOVED_MS;
  }
}
