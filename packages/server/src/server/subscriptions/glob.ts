/** Patterns of paths: `*` is one segment, `**` any number of them. */

const MAX_SEGMENTS = 64;

/** The cost is bounded: each pair of segments is compared once. */
export function matchesPattern(pattern: string, path: string): boolean {
  const wanted = pattern.split("/");
  const given = path.split("/");
  if (wanted.length > MAX_SEGMENTS || given.length > MAX_SEGMENTS) return false;
  // reachable[j]: the segments of the pattern so far match the first j of the path.
  let reachable = given.map(() => false);
  reachable = [true, ...reachable];
  for (const segment of wanted) {
    const next = reachable.map(() => false);
    for (let j = 0; j <= given.length; j++) {
      if (segment === "**") next[j] = reachable[j] === true || (j > 0 && next[j - 1] === true);
      else if (j > 0) next[j] = reachable[j - 1] === true && (segment === "*" || segment === given[j - 1]);
    }
    reachable = next;
  }
  return reachable[given.length] === true;
}

/** The beginning that all matching paths share. */
export function literalPrefix(pattern: string): string {
  const star = pattern.indexOf("*");
  return star === -1 ? pattern : pattern.slice(0, star);
}
