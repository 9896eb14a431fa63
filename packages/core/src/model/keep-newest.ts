/** Bounds of collections that grow while a program runs. */

/** Removes the entries that were added first until at most `limit` are left. */
export function keepNewest(entries: Set<unknown> | Map<unknown, unknown>, limit: number): void {
  for (const oldest of entries.keys()) {
    if (entries.size <= limit) break;
    entries.delete(oldest);
  }
}
