/** Patterns of folders and files that are kept out of the index. Pure. */

/**
 * Tests whether a path, or a folder above it, matches one of the patterns. `*` is any text without a slash, `?` one character
 * of it, `**` any text, `~/` the home folder; a pattern without a slash names a file or a folder at any depth.
 */
export function excludes(patterns: readonly string[], home: string): (path: string) => boolean {
  const matchers = patterns.map((pattern) => toMatcher(pattern, home));
  return (path) => matchers.some((matcher) => matcher.test(path));
}

function toMatcher(pattern: string, home: string): RegExp {
  const whole = pattern.startsWith("~/") ? `${home}${pattern.slice(1)}` : pattern;
  const trimmed = whole.replace(/\/+$/u, "");
  const source = trimmed.replace(/\*{2,}|\*|\?|[\\^$+.()|[\]{}/]/gu, (piece) => {
    if (piece.startsWith("**")) return ".*";
    return piece === "*" ? "[^/]*" : piece === "?" ? "[^/]" : `\\${piece}`;
  });
  const start = trimmed.includes("/") ? "^" : "(?:^|/)";
  return new RegExp(`${start}${source}(?:[/#].*)?$`, "su");
}
