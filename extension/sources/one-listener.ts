/** One listener at a time: it begins and ends as its name changes. */

/** Ends a listener, with `keep` for what is not finished. */
export type Close = (unfinished: "keep" | "discard") => void;

export interface ListenerChange {
  /** Everything that the listener depends on; empty while nobody listens. */
  readonly name: string;
  /** The fate of an unfinished piece of the last listener. */
  readonly unfinished: "keep" | "discard";
  /** `before` settles when the last listener has ended. */
  readonly open: (before: Promise<unknown>) => Promise<Close>;
}

export class OneListener {
  #name = "";
  #opened: Promise<Close> | null = null;

  /** Returns true if another listener begins, or the last one ends. */
  change({ name, unfinished, open }: ListenerChange): boolean {
    if (name === this.#name) return false;
    const before = this.#opened?.then((close) => close(unfinished)) ?? Promise.resolve();
    this.#name = name;
    // It opens later: what it reports at once comes to its host again.
    this.#opened = name === "" ? null : Promise.resolve().then(() => open(before));
    return true;
  }
}
