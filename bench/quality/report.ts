/** The table of hits, for a terminal and for the documentation. Pure. */

import { CLASSES, type QuestionClass } from "./haystack.ts";

export interface QualityTable {
  readonly shape: string;
  readonly seeds: readonly number[];
  readonly questions: number;
  /** Shares of questions whose right session came first, by engine and class. */
  readonly hits: ReadonlyMap<string, ReadonlyMap<QuestionClass | "all", number>>;
}

const COLUMNS = [...CLASSES, "all"] as const;

function rowsOf({ hits }: QualityTable): [string, ...string[]][] {
  return [...hits].map(([engine, shares]) => [
    engine,
    ...COLUMNS.map((one) => `${((shares.get(one) ?? 0) * 100).toFixed(1)} %`),
  ]);
}

export function printReport(table: QualityTable): void {
  console.log(`\n${titleOf(table)}`);
  for (const [engine, ...cells] of [["", ...COLUMNS] as [string, ...string[]], ...rowsOf(table)]) {
    console.log(`  ${engine.padEnd(20)}${cells.map((cell) => cell.padStart(12)).join("")}`);
  }
}

export function toMarkdown(table: QualityTable): string {
  const lines = [
    `| ${titleOf(table)} | ${COLUMNS.join(" | ")} |`,
    `|---|${COLUMNS.map(() => "---|").join("")}`,
    ...rowsOf(table).map((row) => `| ${row.join(" | ")} |`),
  ];
  return `${lines.join("\n")}\n`;
}

function titleOf({ shape, seeds, questions }: QualityTable): string {
  return `hit@1, shape of ${shape}, seed ${seeds.join(", ")}, ${questions} questions`;
}
