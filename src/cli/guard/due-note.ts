/** The sessions that agents are about to delete, as `list` and `doctor` mention them. */

import { rowsOf } from "@continuo/agents/catalog";
import { isContinuoError } from "@continuo/core/model";
import { placesOf } from "@continuo/files";
import { findDueSessions, readGuardSettings } from "@continuo/native/editing/guard";
import type { Shell } from "../terminal/index.ts";
import { countDue, type DueCounts, dueLine } from "./due.ts";

const WITHIN_DAYS = 5;

/** Sessions that have a copy are not mentioned. */
export async function dueNote(shell: Shell): Promise<string | null> {
  try {
    const places = placesOf(shell);
    const memo = rowsOf(places);
    const { sessions } = await findDueSessions({ places, memo });
    await memo.save("part");
    const counts = countDue(sessions, WITHIN_DAYS, shell.now);
    if (counts.withoutCopy === 0) return null;
    const { on } = readGuardSettings(places);
    return `${dueLine(counts, WITHIN_DAYS)}: ${on ? "`continuo guard run`" : "`continuo guard on`"} copies them`;
  } catch (error) {
    // The list itself was shown: `continuo doctor` has the reason.
    if (!isContinuoError(error)) throw error;
    return null;
  }
}

/** Nothing is written, not even the index. */
export async function countDueSoon(days: number, shell: Shell): Promise<DueCounts> {
  return countDue((await findDueSessions({ places: placesOf(shell) })).sessions, days, shell.now);
}
