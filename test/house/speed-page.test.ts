/**
 * `docs/speed.md` says what was measured and explains each target that was missed, with the texts of the bench and no
 * others; the README repeats its numbers.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { missedOn, withRows, withRowsOfEditors, withTexts } from "../../bench/waits/page.ts";
import { measured, OF_ASKING, profileOf } from "../../bench/waits/targets.ts";

const ROOT = join(import.meta.dirname, "../..");
const PAGE = readFileSync(join(ROOT, "docs/speed.md"), "utf8");
const SEARCH = readFileSync(join(ROOT, "docs/search.md"), "utf8");
const README = readFileSync(join(ROOT, "README.md"), "utf8");

/** The cells of the row of some work. */
function rowOf(work: string): readonly string[] {
  const row = PAGE.split("\n").find((line) => line.startsWith(`| ${work} |`));
  return row?.split("|").map((cell) => cell.trim()) ?? [];
}

test("each text below the table of docs/speed.md is one of the bench, for the rows that it names", () => {
  expect(PAGE).toBe(withTexts(PAGE));
});

test("a bullet of docs/speed.md that a person edited is replaced", () => {
  const edited = PAGE.replace(/^- .*$/mu, "- nothing is slow");
  expect(edited).not.toBe(PAGE);
  expect(withTexts(edited)).toBe(PAGE);
});

test("rows of another bench replace their own rows, and the rest of docs/speed.md stays", () => {
  const row = (now: number) => measured("editorLoad", now, "here");
  const once = withRows(PAGE, [row(12)]);
  expect(once.split("\n").filter((line) => !PAGE.includes(line))).toEqual([
    "| editors, first update of a load in ms |  | 12.00 | ≤ 200 | met | clock | here |",
  ]);
  expect(withRows(once, [row(12)])).toBe(once);
  expect(withRows(once, [row(13)])).toBe(withRows(PAGE, [row(13)]));
  expect(withRowsOfEditors(PAGE.replaceAll(/^\| editors, .*\n/gmu, ""), once)).toContain(
    "| 12.00 | ≤ 200 | met |",
  );
});

test("each row of docs/speed.md that missed its target has a profile text", () => {
  const missed = missedOn(PAGE);
  expect(missed.length).toBeGreaterThan(0);
  expect(missed.filter((work) => profileOf(work) === undefined)).toEqual([]);
});

test("the numbers of the README's row about speed are those of docs/speed.md", () => {
  const [, , , ms, wanted, , , from = ""] = rowOf("`search`, 95 % of 40 queries, ms");
  const [, , , ratio] = rowOf("`search`, 95 % of 40 queries / a scan");
  const seconds = (text: string | undefined): number => Number(text?.replace("≤ ", "")) / 1_000;
  const said = `${seconds(ms).toFixed(2)} s, ${Number(ratio).toFixed(1)} times as long as \`rg\` over the files; the aim is ${seconds(wanted)} s`;
  const [sessions] = /[\d,]+ sessions/u.exec(from) ?? [];
  expect(README).toContain(`| search in ${sessions}, 95th percentile of 40 queries | ${said} |`);
  // No other row of the README takes its number from that page.
  expect(README.match(/\]\(docs\/speed\.md/gu)).toHaveLength(1);
});

test("the rows of commands that a server answers say that the server's time is not in them, and where it is", () => {
  const from = ["`continuo list` (20), while a server runs", "`search`, while a server runs"].map(
    (work) => rowOf(work)[7],
  );
  expect(from.map((text) => text?.split("; ")[1])).toEqual([OF_ASKING.servedList, OF_ASKING.servedSearch]);
  // The numbers together with the server are those of the table in docs/search.md.
  const numbers = from.flatMap((text) => text?.match(/\d+\.\d/gu) ?? []);
  expect(numbers).toHaveLength(3);
  const cells = SEARCH.split("\n")
    .filter((line) => line.startsWith("|"))
    .flatMap((line) => line.split(" | "));
  expect(numbers.filter((number) => !cells.includes(`${number} |`))).toEqual([]);
});

test("each row of docs/speed.md about many sessions says how many, and the page says how their words were made", () => {
  const ofMany = PAGE.split("\n").filter((line) =>
    /^\| (?:index|`continuo list`|`search`|list|Claude's|reading)/u.test(line),
  );
  expect(ofMany.length).toBeGreaterThan(13);
  expect(ofMany.filter((line) => !/\b5,000 sessions/u.test(line))).toEqual([]);
  expect(PAGE).toContain("The words are drawn, not written by people. There are 58,000 different ones");
});
