/** The browser's answer if it recognises a language on this machine; it is asked again until the answer is yes. */

import { LIMITS } from "../limits.ts";
import { localSpeech } from "./recognition.ts";

export class LocalSpeechAnswer {
  readonly #changed: () => void;
  #lang: string | null = null;
  #isLocal = false;
  #askedAtMs = Number.NEGATIVE_INFINITY;

  /** `changed` is called when a language becomes available. */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** The answer so far: false until the browser has answered yes. */
  isLocal(lang: string): boolean {
    const isOther = lang !== this.#lang;
    const isDue = Date.now() - this.#askedAtMs >= LIMITS.localSpeechEveryMs;
    if (isOther || (!this.#isLocal && isDue)) this.#ask(lang);
    return this.#isLocal;
  }

  #ask(lang: string): void {
    if (lang !== this.#lang) this.#isLocal = false;
    this.#lang = lang;
    this.#askedAtMs = Date.now();
    void localSpeech(lang).then((state) => {
      if (lang !== this.#lang || state !== "available") return;
      this.#isLocal = true;
      this.#changed();
    });
  }
}
