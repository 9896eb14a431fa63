/** The loaded turns of a session: from the end, and further back on request. Pure. */

import type { Outline } from "@continuo/core/wire/machine";

/** Adds nothing if the older turns do not fit, because the outline may have been read again in the meantime. */
export function withOlderTurns(known: Outline, older: Outline): Outline {
  const first = known.turns[0]?.number;
  if (first === undefined || older.turns.at(-1)?.number !== first - 1) return known;
  return {
    ...known,
    turns: [...older.turns, ...known.turns],
    marks: [...older.marks, ...known.marks],
    hasOlder: older.hasOlder,
  };
}

/** Earlier loaded turns stay if the newest ones follow them, as in a session that has grown. */
export function withNewestTurns(known: Outline | null, newest: Outline): Outline {
  const [first] = newest.turns;
  const isSame = known?.turns.some(({ number, id }) => number === first?.number && id === first.id);
  if (known === null || first === undefined || isSame !== true) return newest;
  return {
    ...newest,
    turns: [...known.turns.filter(({ number }) => number < first.number), ...newest.turns],
    marks: [...known.marks.filter(({ turn }) => turn < first.number), ...newest.marks],
    hasOlder: known.hasOlder,
  };
}
