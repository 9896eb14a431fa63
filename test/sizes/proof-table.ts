/** The table of docs/proof.md that `npm run test:soak` writes. */

import type { SoakProgress } from "./rounds.ts";

const BEGIN = "<!-- soak: written by npm run test:soak -->";
const END = "<!-- /soak -->";
const HEAD = "| property | rounds | seed | result | date |\n|---|---|---|---|---|";

/** The document with a row for every property; rows of properties that were not run this time stay. */
export function withSoakTable(document: string, progress: readonly SoakProgress[]): string {
  const [from, to] = [document.indexOf(BEGIN), document.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`the document has no place that begins with ${BEGIN}`);
  const rows = new Map(
    document
      .slice(from, to)
      .split("\n")
      .filter((line) => line.startsWith("| ") && !HEAD.startsWith(line))
      .map((line) => [line.split(" | ")[0]?.slice(2) ?? "", line]),
  );
  for (const one of progress) rows.set(one.name, rowOf(one));
  const sorted = [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  return `${document.slice(0, from)}${BEGIN}\n\n${[HEAD, ...sorted].join("\n")}\n\n${document.slice(to)}`;
}

function rowOf({ name, seed, count, done, result, date, counts }: SoakProgress): string {
  const rounds = `${done === count ? "" : `${done} of `}${count}${counts === undefined ? "" : `: ${counts}`}`;
  return `| ${name} | ${rounds} | ${seed} | ${result} | ${date.slice(0, 10)} |`;
}
