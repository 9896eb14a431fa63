/** Finds the word that a person probably meant. Pure. */

/** A word that needs more changes than a third of its letters is another word. */
const MAX_SHARE = 3;

/** The nearest of `words`, regardless of letter case and separators; `null` if none is near. */
export function nearest(word: string, words: readonly string[]): string | null {
  const wanted = plain(word);
  let best: { readonly word: string; readonly changes: number } | null = null;
  for (const one of words) {
    const changes = changesBetween(wanted, plain(one));
    if (best === null || changes < best.changes) best = { word: one, changes };
  }
  if (best === null) return null;
  return best.changes <= Math.max(1, Math.floor(plain(best.word).length / MAX_SHARE)) ? best.word : null;
}

function plain(word: string): string {
  return word
    .toLowerCase()
    .replace(/[^a-z0-9]/gu, "")
    .slice(0, 64);
}

/** The number of letters that were inserted, removed, changed, or swapped with their neighbour. */
function changesBetween(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      let least = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (isSame ? 0 : 1));
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwap) least = Math.min(least, (before[j - 2] ?? 0) + 1);
      next.push(least);
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}
