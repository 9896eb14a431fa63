/** An answer of the server that is requested every few seconds while the page is visible. */

import { type Signal, signal } from "@preact/signals";
import { sayError } from "./server.ts";

const LOOK_MS = 3_000;

export class Poll<Answer> {
  readonly answer: Signal<Answer | null> = signal(null);
  readonly failure: Signal<string | null> = signal(null);
  readonly #read: (signal: AbortSignal) => Promise<Answer>;

  constructor(read: (signal: AbortSignal) => Promise<Answer>) {
    this.#read = read;
  }

  /** The returned function ends it. */
  follow(): () => void {
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async (): Promise<void> => {
      if (document.visibilityState === "visible") await this.#look(stop.signal);
      if (!stop.signal.aborted) timer = setTimeout(() => void look(), LOOK_MS);
    };
    void look();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }

  async #look(stop: AbortSignal): Promise<void> {
    try {
      this.answer.value = await this.#read(stop);
      this.failure.value = null;
    } catch (error) {
      if (!stop.aborted) this.failure.value = sayError(error);
    }
  }
}
