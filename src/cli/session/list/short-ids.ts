/** Ids cut to the shortest text that still names one session. */

const MIN_CHARS = 8;

/**
 * Room for ids with the same beginning: those of version 7 from the same millisecond share 12 digits and the version,
 * and usually differ in the three digits after it.
 */
export const SHORT_ID_COLUMNS = 20;

/** Maps each id to its shortest beginning that no other id of `all` shares; pure. */
export function shortIds(ids: readonly string[], all: readonly string[]): Map<string, string> {
  const sorted = [...new Set([...all, ...ids].map((id) => id.toLowerCase()))].sort();
  const positions = new Map(sorted.map((id, at) => [id, at]));
  return new Map(
    ids.map((id) => {
      const key = id.toLowerCase();
      const at = positions.get(key) ?? 0;
      const shared = Math.max(sharedChars(key, sorted[at - 1]), sharedChars(key, sorted[at + 1]));
      let chars = Math.max(MIN_CHARS, shared + 1);
      if (id[chars - 1] === "-") chars += 1;
      return [id, id.slice(0, chars)];
    }),
  );
}

function sharedChars(a: string, b = ""): number {
  let count = 0;
  while (count < a.length && a[count] === b[count]) count += 1;
  return count;
}
