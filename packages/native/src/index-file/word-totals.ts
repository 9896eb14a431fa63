/**
 * The numbers of turns and words in the full-text table, from which FTS5 computes the rank of a turn. FTS5 does not
 * subtract what is deleted from a table with `contentless_delete`, so the writer of the index does it. Otherwise, the
 * rank of a turn would not be the same in a changed index and in a new one.
 */

import type { DatabaseSync } from "node:sqlite";

/** The number of turns, and then the number of words in each column. */
export type WordTotals = readonly number[];

export const NO_TOTALS: WordTotals = [];

/** The average number of words in a turn, as BM25 of FTS5 computes it; `null` if there is no turn. */
export function meanWordsOf(database: DatabaseSync): number | null {
  const [turns = 0, ...words] = storedTotals(database);
  return turns === 0 ? null : words.reduce((sum, one) => sum + one, 0) / turns;
}

/** Sums up the turns of a session after a turn. They must still be in `words`. */
export function totalsAfter(database: DatabaseSync, session: number, number: number): WordTotals {
  const select = database.prepare(
    "select sz from words_docsize where id in (select id from turns where session = ? and number > ?)",
  );
  return select
    .all(session, number)
    .reduce<WordTotals>((sum, { sz }) => plus(sum, [1, ...numbersIn(sz)]), NO_TOTALS);
}

export function plus(left: WordTotals, right: WordTotals): WordTotals {
  const longer = left.length > right.length ? left : right;
  return longer.map((_, at) => (left[at] ?? 0) + (right[at] ?? 0));
}

/** Subtracts the totals of turns that this transaction deleted. It comes after the last change of `words`. */
export function subtractTotals(database: DatabaseSync, removed: WordTotals): void {
  if (removed.length === 0) return;
  // A savepoint makes FTS5 write the totals of the turns that were added.
  database.exec("savepoint totals; release totals");
  const totals = storedTotals(database).map((one, at) => Math.max(0, one - (removed[at] ?? 0)));
  // Before 24.12, Node has no defensive mode, which protects the tables of FTS5.
  const hasDefensiveMode = "enableDefensive" in database;
  if (hasDefensiveMode) database.enableDefensive(false);
  try {
    database.prepare("update words_data set block = ? where id = 1").run(toBytes(totals));
  } finally {
    if (hasDefensiveMode) database.enableDefensive(true);
  }
}

/** FTS5 stores its totals in record 1. Source: `fts5_index.c`. */
function storedTotals(database: DatabaseSync): WordTotals {
  return numbersIn(database.prepare("select block from words_data where id = 1").get()?.block);
}

/** Reads numbers of 7 bits a byte, the highest bits first. The top bit of a byte says that the number continues. */
function numbersIn(bytes: unknown): readonly number[] {
  const numbers: number[] = [];
  let number = 0;
  for (const byte of bytes instanceof Uint8Array ? bytes : []) {
    number = number * 128 + (byte & 0x7f);
    if (byte >= 0x80) continue;
    numbers.push(number);
    number = 0;
  }
  return numbers;
}

function toBytes(numbers: readonly number[]): Uint8Array {
  return Uint8Array.from(
    numbers.flatMap((number) => {
      const bytes = [number % 128];
      for (let rest = Math.floor(number / 128); rest > 0; rest = Math.floor(rest / 128)) {
        bytes.unshift((rest % 128) + 128);
      }
      return bytes;
    }),
  );
}
