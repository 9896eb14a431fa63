/**
 * When many sessions write at once, each write waits a few milliseconds for the others. The store puts writes that it
 * receives together into one transaction, and to begin and commit one costs more than all else that a write needs. A
 * write is answered only after its commit, as before.
 */

import { setTimeout as pause } from "node:timers/promises";
import { LIMITS } from "./limits.ts";
import { RecentNames } from "./recent-names.ts";

export class JointCommits {
  readonly #writing: RecentNames;
  #next: Promise<void> | null = null;

  /** @param now milliseconds, from any moment on */
  constructor(now: () => number = () => performance.now()) {
    this.#writing = new RecentNames(LIMITS.jointLookMs, now);
  }

  /** Resolves when the session may write: at once while few sessions write. */
  async join(sessionId: string): Promise<void> {
    this.#writing.isNew(sessionId);
    if (this.#writing.size > LIMITS.jointSessions) this.#next ??= this.#wait();
    await this.#next;
  }

  async #wait(): Promise<void> {
    await pause(LIMITS.jointMs);
    this.#next = null;
  }
}
