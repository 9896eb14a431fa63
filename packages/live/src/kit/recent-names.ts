/** Names that were used a short time ago, so that the same work is not begun twice in a short time. */

export class RecentNames {
  readonly #ms: number;
  readonly #now: () => number;
  /** The time at which each name was used, oldest first. */
  readonly #atMs = new Map<string, number>();

  constructor(ms: number, now: () => number = () => performance.now()) {
    this.#ms = ms;
    this.#now = now;
  }

  /** The number of names that are kept. */
  get size(): number {
    return this.#atMs.size;
  }

  /** Returns true if the name was not used within the time, and records that it is used now. */
  isNew(name: string): boolean {
    const nowMs = this.#now();
    for (const [old, atMs] of this.#atMs) {
      if (nowMs - atMs < this.#ms) break;
      this.#atMs.delete(old);
    }
    if (this.#atMs.has(name)) return false;
    this.#atMs.set(name, nowMs);
    return true;
  }
}
