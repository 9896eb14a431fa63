/**
 * Runs calls with the same key one after the other, in the order of arrival; calls with other keys run at the same
 * time.
 */

export class KeyedQueue {
  readonly #ends = new Map<string, Promise<unknown>>();

  run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#ends.get(key) ?? Promise.resolve();
    const result = before.then(work, work);
    const end = result
      .catch(() => undefined)
      .then(() => {
        if (this.#ends.get(key) === end) this.#ends.delete(key);
      });
    this.#ends.set(key, end);
    return result;
  }
}
