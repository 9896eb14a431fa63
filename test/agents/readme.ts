/** Tables that a run of the agents writes into README.md: `npm run test:agents -- FILTER -u`, and red where out of date. */

/** The README with the text in the place that the marks leave for it. */
export function withSection(
  readme: string,
  { mark, end }: { readonly mark: string; readonly end: string },
  text: string,
): string {
  const [before, rest] = readme.split(mark);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`README.md has no ${mark} … ${end}`);
  return `${before}${mark}\n\n${text}\n${end}${after}`;
}
