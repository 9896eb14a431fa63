/** Names that came up a short time ago, so that the same work is not begun again at once. */

export class Recent {
  readonly #ms: number;
  readonly #now: () => number;
  /** When each name came up, the oldest first. */
  readonly #atMs = new Map<string, number>();

  constructor(ms: number, now: () => number = () => performance.now()) {
    this.#ms = ms;
    this.#now = now;
  }

  /** The number of names that are held. */
  get size(): number {
    return this.#atMs.size;
  }

  /** True for a name that did not come up within the time; it came up now. */
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
