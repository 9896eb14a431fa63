/** Appends events that another process may append at the same time. */

import { isContinuoError } from "./errors.ts";
import type { NewEvent, StoredEvent } from "./events/index.ts";
import type { AppendOptions, Store } from "./ports/index.ts";

/**
 * Appends the events whose ids are not in the log, in one transaction, and returns them. `also` is written only together
 * with at least one of them. Errors: those of `append`.
 */
export async function appendNew(
  store: Pick<Store, "append">,
  logId: string,
  events: readonly NewEvent[],
  { also = [] }: Pick<AppendOptions, "also"> = {},
): Promise<readonly StoredEvent[]> {
  if (events.length === 0) return [];
  try {
    return await store.append(logId, events, { onlyNew: true, also });
  } catch (error) {
    const storedIds = isContinuoError(error, "conflict") ? error.details.storedIds : undefined;
    if (!Array.isArray(storedIds) || storedIds.length === 0) throw error;
    const known = new Set<unknown>(storedIds);
    const left = events.filter(({ id }) => !known.has(id));
    return await appendNew(store, logId, left, { also });
  }
}
