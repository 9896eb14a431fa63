/**
 * When many sessions write at the same time, each write waits for the others, at most 25 ms (`jointMs`). The store puts
 * writes that arrive together into one transaction: the beginning and the commit of a transaction cost more than the
 * write itself. A write is still answered only after its commit.
 */

import { setTimeout as pause } from "node:timers/promises";
import { LIMITS } from "./limits.ts";
import { RecentNames } from "./recent-names.ts";

export class JointCommits {
  readonly #writing: RecentNames;
  #next: Promise<void> | null = null;

  /** @param now milliseconds since any fixed moment */
  constructor(now: () => number = () => performance.now()) {
    this.#writing = new RecentNames(LIMITS.jointLookMs, now);
  }

  /** Resolves when the session may write: immediately while few sessions write. */
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
