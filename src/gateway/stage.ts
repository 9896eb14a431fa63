/**
 * The order in which the turns of one session are shown: turns of this connection and of other programs follow one
 * another, and their updates are never mixed.
 */

export class Stage {
  #last: Promise<void> = Promise.resolve();

  /** Waits until every earlier turn has left. Returns the function that leaves. */
  async enter(): Promise<() => void> {
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    await before;
    return resolve;
  }
}

/** The entry of a turn that may end without anything to show. */
export class StageEntry {
  readonly #stage: Stage;
  #entered: Promise<() => void> | null = null;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  async enter(): Promise<void> {
    this.#entered ??= this.#stage.enter();
    await this.#entered;
  }

  async leave(): Promise<void> {
    (await this.#entered)?.();
  }
}
