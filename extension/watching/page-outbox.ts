/**
 * Keeps the items of a page until the extension has stored them. They are sent in order, and sent again until they are
 * answered.
 */

import { LIMITS } from "../limits.ts";
import type { EvidenceAnswer } from "../messages/messages.ts";
import type { PageItem } from "../sending/items.ts";

export class PageOutbox {
  readonly #store: (items: readonly PageItem[]) => Promise<EvidenceAnswer | null>;
  #items: PageItem[] = [];
  #running = false;
  /** True if a flush came during a request, whose answer can be older than the flush. */
  #again = false;
  #over = false;
  #retry: ReturnType<typeof setTimeout> | undefined;

  /** `store` resolves to `null` if nobody answers. */
  constructor(store: (items: readonly PageItem[]) => Promise<EvidenceAnswer | null>) {
    this.#store = store;
  }

  /** An item above the limit is left out. */
  add(item: PageItem): void {
    if (this.#items.length >= LIMITS.unstoredItems) return;
    this.#items.push(item);
    this.flush();
  }

  /** Drops all items, because this tab does not record. */
  clear(): void {
    this.#items = [];
  }

  flush(): void {
    if (this.#running || this.#over) {
      this.#again = true;
      return;
    }
    clearTimeout(this.#retry);
    this.#running = true;
    void this.#send(0).finally(() => {
      this.#running = false;
    });
  }

  close(): void {
    this.#over = true;
    clearTimeout(this.#retry);
  }

  async #send(tries: number): Promise<void> {
    while (this.#items.length > 0 && !this.#over) {
      const batch = firstOf(this.#items);
      this.#again = false;
      const answer = await this.#store(batch);
      if (answer === null) {
        const ms = Math.min(LIMITS.longestRetryMs, LIMITS.firstRetryMs * 2 ** tries++);
        await new Promise((resolve) => {
          this.#retry = setTimeout(resolve, ms);
        });
        continue;
      }
      tries = 0;
      // The worker does not know this video yet. The page sends `hello` and then calls `flush`.
      if (answer === "moved") {
        if (this.#again) continue;
        return;
      }
      this.#items = this.#items.slice(batch.length);
    }
  }
}

/** A frame is sent separately, because it is large. */
function firstOf(items: readonly PageItem[]): readonly PageItem[] {
  const frame = items.findIndex(({ kind }) => kind === "frame");
  if (frame === 0) return items.slice(0, 1);
  return items.slice(0, Math.min(LIMITS.itemsPerMessage, frame < 0 ? items.length : frame));
}
