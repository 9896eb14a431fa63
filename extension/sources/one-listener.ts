/** Keeps one listener at a time. When its settings change, it is closed, and another one is opened. */

/** Ends a listener, at the latest when the result settles; `keep` sends the unfinished piece, `discard` drops it. */
export type Close = (unfinished: "keep" | "discard") => void | Promise<void>;

export interface ListenerChange {
  /** All settings on which the listener depends, as one text; empty for no listener. */
  readonly settingsKey: string;
  /** The decision about an unfinished piece of the last listener. */
  readonly unfinished: "keep" | "discard";
  /** `before` settles when the last listener has ended. */
  readonly open: (before: Promise<unknown>) => Promise<Close>;
}

export class OneListener {
  #settingsKey = "";
  #opened: Promise<Close> | null = null;

  /** Returns true if another listener begins, or the last one ends. */
  change({ settingsKey, unfinished, open }: ListenerChange): boolean {
    if (settingsKey === this.#settingsKey) return false;
    const before = this.#opened?.then((close) => close(unfinished)) ?? Promise.resolve();
    this.#settingsKey = settingsKey;
    // `open` runs after this call has returned, so that its caller is done before the listener reports anything.
    this.#opened = settingsKey === "" ? null : Promise.resolve().then(() => open(before));
    return true;
  }
}
