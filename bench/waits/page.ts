/**
 * The table of the rows, and below it what was measured, and the profile texts of the rows that missed their targets.
 * `withTexts` replaces the texts of a page without measuring again, so that it never differs from `materials.ts` and
 * `targets.ts`.
 */

import { print } from "../measure/index.ts";
import { MATERIALS } from "./materials.ts";
import type { Row, Rows } from "./rows.ts";
import { EDITORS, profileOf } from "./targets.ts";

const HEAD = "| work | before | now | wanted | | by | from |\n|---|---|---|---|---|---|---|";
const MISSED = "missed";

export function printRows(rows: Rows): void {
  print(`\n${HEAD}`);
  for (const row of rows) {
    if ("missing" in row) print(`| ${row.work} | | | | not measured | | ${row.missing} |`);
    else print(`| ${cellsOf(row).join(" | ")} |`);
  }
  const missed = rows.filter((row): row is Row => !("missing" in row) && !isMet(row));
  for (const line of textsFor(missed.map(({ work }) => work))) print(line);
}

/** The page with these rows in place of those of the same works; rows of other works come last in the table. */
export function withRows(page: string, rows: readonly Row[]): string {
  const lines = page.split("\n").filter((line) => !rows.some(({ work }) => line.startsWith(`| ${work} |`)));
  const end = lines.findLastIndex((line) => line.startsWith("|"));
  const fresh = rows.map((row) => `| ${cellsOf(row).join(" | ")} |`);
  return withTexts([...lines.slice(0, end + 1), ...fresh, ...lines.slice(end + 1)].join("\n"));
}

/** The page with the rows of `before` for works that only another bench measures. */
export function withRowsOfEditors(page: string, before: string): string {
  const kept = before.split("\n").filter((line) => line.startsWith(`| ${EDITORS}`));
  const lines = page.split("\n");
  const end = lines.findLastIndex((line) => line.startsWith("|"));
  return end === -1
    ? page
    : withTexts([...lines.slice(0, end + 1), ...kept, ...lines.slice(end + 1)].join("\n"));
}

/** The works of the page that missed their targets. */
export function missedOn(page: string): readonly string[] {
  return page
    .split("\n")
    .filter((line) => line.startsWith("|") && line.includes(`| ${MISSED} |`))
    .map((line) => line.slice(2).split(" | ")[0] ?? "");
}

/** The page with the present texts below its table. */
export function withTexts(page: string): string {
  const lines = page.split("\n");
  const end = lines.findLastIndex((line) => line.startsWith("|"));
  // Other benches write no table.
  if (end === -1) return page;
  const last = lines.findLast((line) => line.startsWith("Measured in")) ?? "";
  return [...lines.slice(0, end + 1), ...textsFor(missedOn(page)), "", last, ""].join("\n");
}

function textsFor(missed: readonly string[]): readonly string[] {
  return ["", "## What is measured", ...MATERIALS.flatMap((text) => ["", text]), ...causesOf(missed)];
}

function causesOf(missed: readonly string[]): readonly string[] {
  const causes = Map.groupBy(missed, profileOf);
  causes.delete(undefined);
  if (causes.size === 0) return [];
  const bullets = [...causes].map(([profile, works]) => `- ${works.join("; ")}: ${profile}`);
  return ["", "## Where the time of the missed ones goes", "", ...bullets];
}

function isMet({ now, wanted: { side, than } }: Row): boolean {
  return side === "below" ? now <= than : now >= than;
}

function cellsOf(row: Row): readonly string[] {
  const { work, before, now, wanted, by, from } = row;
  const wish = `${wanted.side === "below" ? "≤" : "≥"} ${wanted.than}`;
  return [work, before, digits(now), wish, isMet(row) ? "met" : MISSED, by, from];
}

function digits(number: number): string {
  return number >= 100 ? number.toFixed(0) : number.toFixed(2);
}
