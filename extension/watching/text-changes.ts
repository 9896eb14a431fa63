/**
 * Observes changes of the text of a player: a word that a page draws is seen when it is drawn, so that the speaker's
 * pause before it is known. It does not read the text itself.
 */

import { LIMITS } from "../limits.ts";

export class TextChanges {
  readonly #onChange: () => void;
  readonly #observer = new MutationObserver(() => this.#changed());
  #player: Element | null = null;
  #toldAtMs = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `onChange` is called for the first change without a delay, and then at most once in `LIMITS.drawnLookMs`. */
  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /**
   * Follows only this player; with `null`, none. Players change their size and their place, so this is called often.
   */
  follow(player: Element | null): void {
    if (player === this.#player) return;
    this.#observer.disconnect();
    this.#player = player;
    if (player !== null)
      this.#observer.observe(player, { subtree: true, childList: true, characterData: true });
  }

  close(): void {
    this.follow(null);
    clearTimeout(this.#timer);
  }

  #changed(): void {
    clearTimeout(this.#timer);
    const waitMs = this.#toldAtMs + LIMITS.drawnLookMs - Date.now();
    if (waitMs > 0) this.#timer = setTimeout(() => this.#tell(), waitMs);
    else this.#tell();
  }

  #tell(): void {
    this.#toldAtMs = Date.now();
    this.#onChange();
  }
}
