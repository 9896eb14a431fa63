/** One listener at a time. It is closed, and another one opened, when its settings change. */

/** Ends a listener, at the latest when the result settles; `keep` sends the piece that is not finished, `discard` drops it. */
export type Close = (unfinished: "keep" | "discard") => void | Promise<void>;

export interface ListenerChange {
  /** All settings that the listener depends on, as one text; empty for no listener. */
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
    // It opens later, so that a report that it makes at once reaches a host that has finished this call.
    this.#opened = settingsKey === "" ? null : Promise.resolve().then(() => open(before));
    return true;
  }
}
