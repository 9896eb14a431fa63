/**
 * Cursors of long-polls and SSE. Within an interval, all clients get the same cursor, so that a cache answers many of
 * them with one request. A client never gets the cursor that it sent, so that it does not read one cached answer
 * forever.
 */

const EPOCH_MS: number = Date.parse("2024-10-09T00:00:00Z");
const INTERVAL_MS = 20_000;
const MAX_JITTER_INTERVALS = 180;

export interface CursorOptions {
  readonly now: number;
  /** 0 up to 1, exclusive. */
  readonly random: () => number;
}

export function cursorAfter(sent: string | null, { now, random }: CursorOptions): string {
  const current = Math.floor((now - EPOCH_MS) / INTERVAL_MS);
  const given = sent !== null && /^\d{1,15}$/.test(sent) ? Number(sent) : Number.NaN;
  if (Number.isNaN(given) || given < current) return String(current);
  return String(given + 1 + Math.floor(random() * MAX_JITTER_INTERVALS));
}
