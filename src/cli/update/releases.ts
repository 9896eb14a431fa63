/** The releases in a changelog, and the order of versions. Pure. */

export interface Release {
  readonly version: string;
  /** `null` if the heading has none, otherwise a date such as `2026-11-26`. */
  readonly date: string | null;
  /** Markdown, without the heading. */
  readonly text: string;
}

const HEADING = /^## (\d{1,6}\.\d{1,6}\.\d{1,6})(?: \((\d{4}-\d{2}-\d{2})\))?[ \t]*$/gmu;

/** The newest first, whatever the order in the changelog. */
export function releasesIn(changelog: string): readonly Release[] {
  const headings = [...changelog.matchAll(HEADING)];
  const releases = headings.map((heading, at): Release => {
    const [line, version = "", date] = heading;
    const rest = changelog.slice(heading.index + line.length, headings[at + 1]?.index);
    // "Unreleased", or another heading of this rank, belongs to no release.
    const end = rest.search(/^## /mu);
    return { version, date: date ?? null, text: (end === -1 ? rest : rest.slice(0, end)).trim() };
  });
  return releases.toSorted((a, b) => (isAfter(a.version, b.version) ? -1 : 1));
}

/** Returns true if `next` is a version of three numbers that comes after `last`. */
export function isAfter(next: string, last: string): boolean {
  const [a, b] = [next, last].map((version) => /^(\d+)\.(\d+)\.(\d+)$/u.exec(version)?.slice(1).map(Number));
  if (a === undefined || b === undefined) return false;
  const at = a.findIndex((number, index) => number !== b[index]);
  return at !== -1 && (a[at] ?? 0) > (b[at] ?? 0);
}
