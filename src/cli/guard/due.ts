/** The times at which agents delete sessions, in the words of `list`, `doctor` and `guard status`. */

import { endsWithin } from "@continuo/native/editing/guard";
import { plural } from "../terminal/index.ts";

export interface DueCounts {
  /** Sessions that their agents delete within the requested number of days. */
  readonly soon: number;
  /** The sessions among them that have no copy. */
  readonly withoutCopy: number;
}

export function countDue(
  sessions: readonly { readonly endsAt: string; readonly hasCopy: boolean }[],
  days: number,
  now: Date,
): DueCounts {
  const soon = endsWithin(sessions, days, now);
  return { soon: soon.length, withoutCopy: soon.filter(({ hasCopy }) => !hasCopy).length };
}

/** `null` if no session will be deleted in this time. */
export function dueLine({ soon, withoutCopy }: DueCounts, days: number): string | null {
  if (soon === 0) return null;
  const go = `${plural(soon, "session")} will be deleted within ${plural(days, "day")}`;
  if (withoutCopy === 0) return `${go}; the guard has a copy of each`;
  return `${go}, ${withoutCopy === soon ? "without a copy" : `${withoutCopy} of them without a copy`}`;
}
