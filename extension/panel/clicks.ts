/** Guards for clicks whose answers take time: one at a time, or only the newest one counts. */

/** Ignores a call about a thing while an earlier call about the same thing is not yet answered. */
export function oneAtATime<Args extends readonly unknown[]>(
  work: (id: string, ...args: Args) => Promise<unknown>,
): (id: string, ...args: Args) => Promise<void> {
  const busy = new Set<string>();
  return async (id, ...args) => {
    if (busy.has(id)) return;
    busy.add(id);
    try {
      await work(id, ...args);
    } finally {
      busy.delete(id);
    }
  };
}

/** The newest of several requests: answers to the earlier ones are dropped, whenever they arrive. */
export class NewestAnswer {
  #newest = 0;

  /** Calls one of the functions, unless a later request was made or `drop` was called. */
  take<Value>(
    answer: Promise<Value>,
    onValue: (value: Value) => void,
    onFailure: (failure: never) => void,
  ): void {
    const own = ++this.#newest;
    answer.then(
      (value) => {
        if (own === this.#newest) onValue(value);
      },
      (failure: unknown) => {
        if (own === this.#newest) onFailure(failure as never);
      },
    );
  }

  drop(): void {
    this.#newest++;
  }
}
