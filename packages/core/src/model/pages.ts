/** Lists and logs that are read to their end, a page at a time. */

import type { StoredEvent } from "./events/index.ts";
import type { LogReader, Page, ReadOptions } from "./ports/index.ts";

/** Every item of a list. `list` is called with the cursor of each page; the first page has none. */
export async function* listAll<Item>(
  list: (place: { readonly cursor?: string }) => Promise<Page<Item>>,
): AsyncGenerator<Item, void, void> {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: Page<Item> = await list(cursor === undefined ? {} : { cursor });
    yield* page.items;
    cursor = page.nextCursor;
  }
}

/**
 * All events of a log that `options` choose, including those that are appended during the read; `limit` is that of a
 * page.
 */
export async function* readAll(
  store: Pick<LogReader, "read">,
  logId: string,
  options: Omit<ReadOptions, "after"> & { readonly after?: number } = {},
): AsyncGenerator<StoredEvent, void, void> {
  for (let after: number | null = options.after ?? 0; after !== null; ) {
    const page: Awaited<ReturnType<LogReader["read"]>> = await store.read(logId, { ...options, after });
    yield* page.events;
    after = page.nextAfter;
  }
}
