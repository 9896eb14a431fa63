/** The list of channels: read page by page, and the page on the screen read again while the browser shows it. */

import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { ChannelRow, ChannelsPage } from "../../src/wire/index.ts";
import { Poll } from "../state/polling.ts";
import { ask, sayError } from "../state/server.ts";
import {
  type ChannelPages,
  FIRST_PAGE,
  foldPage,
  movedAfter,
  NO_PAGES,
  type PageStart,
  pageOf,
  shownRows,
} from "./channel-pages.ts";
import { CHANNELS } from "./paths.ts";

export class ChannelList {
  readonly pages: Signal<ChannelPages> = signal(NO_PAGES);
  /** Part of a channel's name. */
  readonly filter: Signal<string> = signal("");
  readonly rows: ReadonlySignal<readonly ChannelRow[]> = computed(() =>
    shownRows(this.pages.value, this.filter.value),
  );
  /** The reason why the next page was not read; nobody reads it again until `tryAgain`. */
  readonly failure: Signal<string | null> = signal(null);
  /** Reports when the page on the screen could not be read again, and then tries by itself. */
  readonly poll: Poll<void> = new Poll((stop) => this.#refresh(stop));
  /** The first channel on the screen. */
  #seen: string | null = null;
  #isReading = false;
  #over = new AbortController();

  /** The returned function ends it. */
  follow(): () => void {
    this.#over = new AbortController();
    const stop = this.poll.follow();
    return () => {
      stop();
      this.#over.abort();
    };
  }

  sees(channel: string | null): void {
    this.#seen = channel;
  }

  /** The next page, where there is one. */
  async readMore(): Promise<void> {
    const { starts, next } = this.pages.value;
    if (this.#isReading || this.failure.value !== null || next === null || starts.length === 0) return;
    this.#isReading = true;
    const { signal: over } = this.#over;
    try {
      const page = await this.#page(next, over);
      this.#isReading = false;
      this.pages.value = foldPage(this.pages.value, next, page);
    } catch (error) {
      this.#isReading = false;
      if (!over.aborted) this.failure.value = sayError(error);
    }
  }

  tryAgain(): void {
    this.failure.value = null;
    void this.readMore();
  }

  /** Goes on to the pages after it as far as they begin elsewhere now: channels came or went. */
  async #refresh(stop: AbortSignal): Promise<void> {
    let start: PageStart | null = this.#seen === null ? FIRST_PAGE : pageOf(this.pages.value, this.#seen);
    while (start !== null) {
      const page = await this.#page(start, stop);
      const before = this.pages.value;
      this.pages.value = foldPage(before, start, page);
      start = movedAfter(before, this.pages.value, start);
    }
  }

  #page({ cursor }: PageStart, stop: AbortSignal): Promise<ChannelsPage> {
    const from = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    return ask<ChannelsPage>(`${CHANNELS}?summary=true${from}`, { signal: stop });
  }
}
