/**
 * The list of channels: pages are read when they are needed, and again every few seconds while the browser shows them.
 */

import type { ChannelRow, ChannelsPage } from "@continuo/core/wire";
import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
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
  /** The reason why the next page was not read; it is not read again until `tryAgain`. */
  readonly failure: Signal<string | null> = signal(null);
  /** Reports when a page could not be read again, and then tries again by itself. */
  readonly poll: Poll<void> = new Poll((stop) => this.#refresh(stop));
  /** The first channel on the screen. */
  #seen: string | null = null;
  #refreshes = 0;
  #isReading = false;
  #over = new AbortController();

  /** Keeps the list up to date until the returned function is called. */
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

  /** Reads the next page, if there is one. */
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

  /**
   * Reads a page again, and the pages after it if their beginning has moved, because channels appeared or disappeared.
   */
  async #refresh(stop: AbortSignal): Promise<void> {
    let start: PageStart | null = this.#due();
    while (start !== null) {
      const page = await this.#page(start, stop);
      const before = this.pages.value;
      this.pages.value = foldPage(before, start, page);
      start = movedAfter(before, this.pages.value, start);
    }
  }

  /** Returns the page to read: every second time the one on the screen, and otherwise all pages in turn. */
  #due(): PageStart {
    const { starts } = this.pages.value;
    this.#refreshes += 1;
    if (this.#refreshes % 2 === 0) return starts[(this.#refreshes / 2) % starts.length] ?? FIRST_PAGE;
    return this.#seen === null ? FIRST_PAGE : pageOf(this.pages.value, this.#seen);
  }

  #page({ cursor }: PageStart, stop: AbortSignal): Promise<ChannelsPage> {
    const from = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    return ask<ChannelsPage>(`${CHANNELS}?summary=true${from}`, { signal: stop });
  }
}
