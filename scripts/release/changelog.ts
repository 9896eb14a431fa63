/** Makes the changelog of a release from the files in `changes/` and the text under "Unreleased". Pure. */

export const HEADINGS: readonly string[] = ["Breaking", "Added", "Changed", "Fixed", "Formats"];

export interface Fragment {
  /** The origin of the text, for error messages. */
  readonly name: string;
  readonly text: string;
}

const UNRELEASED = "## Unreleased\n";

/**
 * The changelog with all fragments under a new heading, sorted by their headings, and an empty "Unreleased" above.
 * @param date as `2026-11-26`
 */
export function releaseChangelog(
  changelog: string,
  fragments: readonly Fragment[],
  { version, date }: { readonly version: string; readonly date: string },
): string {
  const [head = "", rest] = changelog.split(UNRELEASED);
  if (rest === undefined) throw new Error(`the changelog has no line "${UNRELEASED.trim()}"`);
  const next = rest.search(/^## /mu);
  const unreleased = next === -1 ? rest : rest.slice(0, next);
  const older = next === -1 ? "" : `\n${rest.slice(next)}`;
  const sections = [{ name: "Unreleased", text: unreleased }, ...fragments].flatMap(sectionsOf);
  const lines = HEADINGS.flatMap((heading) => {
    const texts = sections.filter((section) => section.heading === heading).map(({ text }) => text);
    return texts.length === 0 ? [] : [`### ${heading}`, "", ...texts, ""];
  });
  if (lines.length === 0) throw new Error("nothing has changed since the last release");
  return `${head}${UNRELEASED}\n## ${version} (${date})\n\n${lines.join("\n").trimEnd()}\n${older}`;
}

function sectionsOf({
  name,
  text,
}: Fragment): readonly { readonly heading: string; readonly text: string }[] {
  const [before = "", ...parts] = text.split(/^### /mu);
  if (before.trim() !== "") throw new Error(`${name} begins with a text that has no heading`);
  return parts.map((part) => {
    const [heading = "", ...lines] = part.split("\n");
    if (!HEADINGS.includes(heading.trim()))
      throw new Error(`${name} has the heading "${heading}"; use one of ${HEADINGS.join(", ")}`);
    return { heading: heading.trim(), text: lines.join("\n").trim() };
  });
}
