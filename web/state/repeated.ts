/** An answer of the server that is asked for again every few seconds, while somebody looks at the page. */

import { type Signal, signal } from "@preact/signals";
import { ask, sayError } from "./server.ts";

const LOOK_MS = 3_000;

export class Repeated<Answer> {
  readonly answer: Signal<Answer | null> = signal(null);
  readonly failure: Signal<string | null> = signal(null);
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** Returns what ends it. */
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
      this.answer.value = await ask<Answer>(this.#path, { signal: stop });
      this.failure.value = null;
    } catch (error) {
      if (!stop.aborted) this.failure.value = sayError(error);
    }
  }
}

/** By keyboard from line to line of a list of links. */
export function moveFocus(lines: string, step: 1 | -1): void {
  const all = [...document.querySelectorAll<HTMLElement>(lines)];
  const at = all.indexOf(document.activeElement as HTMLElement);
  all[at === -1 ? (step === 1 ? 0 : all.length - 1) : at + step]?.focus();
}
