/** How much a match counts. Pure. */

import type { IndexedSession } from "../catalog/index.ts";
import type { TurnMatch } from "../index-file/index.ts";

/** Of the columns person, agent, call, result, other, parts: what a person typed says best what a session is about. */
export const WEIGHTS: readonly number[] = [4, 2, 1.5, 0.7, 0.2, 1];

/** A turn of today counts so much more than one of long ago. */
const RECENT_BONUS = 0.6;
/** After this time, the bonus is about a third. */
const RECENT_DAYS = 30;
const DAY_MS = 86_400_000;

/** Greater is better. */
export function rankOf(turn: TurnMatch, session: IndexedSession, nowMs: number): number {
  const at = Date.parse(turn.at ?? session.updatedAt ?? "");
  const ageDays = Number.isNaN(at) ? Number.POSITIVE_INFINITY : Math.max(0, nowMs - at) / DAY_MS;
  const recency = 1 + RECENT_BONUS * Math.exp(-ageDays / RECENT_DAYS);
  // Without words, the newest come first.
  return turn.score === 0 ? recency : turn.score * recency;
}
