/** Calls for the same key one after the other, in the order in which they came; others meanwhile. */

export class InOrder {
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
