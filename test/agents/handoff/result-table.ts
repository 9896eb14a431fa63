/** The table in docs/support.md: what is kept of a conversation when one agent hands it over to another. */

import type { Outcome, Receipt, ReceiptKind } from "@continuo/agents";
import type { AgentName } from "@continuo/core/model";
import { type Section, withSection } from "../../../scripts/section.ts";
import { PINNED } from "../install.ts";

export interface Cell {
  readonly from: AgentName;
  readonly to: AgentName;
  readonly receipt: Receipt;
}

const KINDS: Readonly<Partial<Record<ReceiptKind, string>>> = {
  text: "text",
  thinking: "thinking",
  tool_call: "tool calls",
  tool_result: "results",
  image: "images",
};
const OUTCOMES: readonly Outcome[] = ["kept", "rewritten", "noted", "dropped"];

const SECTION: Section = {
  begin: "<!-- handed over: written by npm run test:agents -- matrix -u -->",
  end: "<!-- end of handed over -->",
};

/** Returns the document with the table of these cells. */
export function withTable(document: string, cells: readonly Cell[]): string {
  return withSection(document, SECTION, toTable(cells));
}

function toTable(cells: readonly Cell[]): string {
  const names = Object.values(KINDS);
  const lines = [
    `| from | to | ${names.join(" | ")} |`,
    `|---|---|${names.map(() => "---|").join("")}`,
    ...cells.map(rowOf),
  ];
  return `${lines.join("\n")}\n`;
}

/** Returns the line of a cell in the table. */
export function rowOf({ from, to, receipt }: Cell): string {
  const counts = Object.keys(KINDS).map((kind) => countsOf(receipt, kind as ReceiptKind));
  return `| ${named(from)} | ${named(to)} | ${counts.join(" | ")} |`;
}

function named(agent: AgentName): string {
  return `\`${agent}\` ${PINNED[agent].version}`;
}

/** Returns the outcomes of blocks of this kind, or only their number if all were kept. */
function countsOf({ byKind }: Receipt, kind: ReceiptKind): string {
  const counts = byKind[kind];
  if (counts === undefined) return "";
  const told = OUTCOMES.filter((outcome) => counts[outcome] > 0);
  if (told.length === 1 && told[0] === "kept") return String(counts.kept);
  return told.map((outcome) => `${counts[outcome]} ${outcome}`).join(", ");
}
