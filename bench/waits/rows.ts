/** A row of the table: work for which a person waits, compared with the minimum that the machine needs. */

import { print } from "../measure/index.ts";

export interface Row {
  readonly work: string;
  /** The value when the work on speed began. */
  readonly before: string;
  readonly now: number;
  readonly wanted: { readonly side: "below" | "above"; readonly than: number };
  /** `processor`: user and system time of the processes; `clock`: the time that passed; `size`: bytes. */
  readonly by: "processor" | "clock" | "size";
  /** The two numbers of a ratio, or the way in which a number was measured. */
  readonly from: string;
  /** The result of a profile, for a target that was missed. */
  readonly spent?: string;
}

/** A row that this machine cannot measure, with the reason. */
export interface MissingRow {
  readonly work: string;
  readonly missing: string;
}

export interface WaitsOptions {
  readonly rounds: number;
  /** Fewer sessions, shorter hand-overs. */
  readonly quick: boolean;
  /** A folder of this bench that is not removed. */
  readonly folder: string;
}

export type Rows = readonly (Row | MissingRow)[];

const HEAD = "| work | before | now | wanted | | by | from |\n|---|---|---|---|---|---|---|";

export function printRows(rows: Rows): void {
  print(`\n${HEAD}`);
  for (const row of rows) {
    if ("missing" in row) print(`| ${row.work} | | | | not measured | | ${row.missing} |`);
    else print(`| ${cellsOf(row).join(" | ")} |`);
  }
  const missed = rows.filter((row): row is Row => !("missing" in row) && !isMet(row));
  const causes = Map.groupBy(missed, ({ spent }) => spent);
  causes.delete(undefined);
  if (causes.size > 0) print("\n## Where the time of the missed ones goes\n");
  for (const [spent, those] of causes) print(`- ${those.map(({ work }) => work).join("; ")}: ${spent}`);
}

function isMet({ now, wanted: { side, than } }: Row): boolean {
  return side === "below" ? now <= than : now >= than;
}

function cellsOf(row: Row): readonly string[] {
  const { work, before, now, wanted, by, from } = row;
  const wish = `${wanted.side === "below" ? "≤" : "≥"} ${wanted.than}`;
  return [work, before, digits(now), wish, isMet(row) ? "met" : "missed", by, from];
}

function digits(number: number): string {
  return number >= 100 ? number.toFixed(0) : number.toFixed(2);
}
