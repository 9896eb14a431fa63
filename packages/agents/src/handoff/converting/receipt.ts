/** The receipt of a conversion: the outcome of each record of the source. Plain data. Pure. */

import type { Block, RecordPlace } from "@continuo/core/model";

export type ReceiptKind = "text" | "thinking" | "tool_call" | "tool_result" | "image" | "file" | "other";

export const RECEIPT_KINDS: readonly ReceiptKind[] = [
  "text",
  "thinking",
  "tool_call",
  "tool_result",
  "image",
  "file",
  "other",
];

/**
 * - `kept`: in the new session, unchanged
 * - `rewritten`: in the new session, in a form that the target accepts
 * - `noted`: the target's model does not receive it; thinking stays in the new session, other records are named in its
 *   provenance
 * - `dropped`: not in the new session, although it was part of the conversation
 */
export type Outcome = "kept" | "rewritten" | "noted" | "dropped";

export interface ReceiptRecord {
  /**
   * The place in the source: `line 12`, `FILE:12`, the id of a row or `sub-agent ID`; `new session` for a line about
   * the result.
   */
  readonly place: string;
  readonly kind: ReceiptKind;
  readonly outcome: Outcome;
  /** Empty if the record was kept. */
  readonly reason: string;
}

export type Counts = Readonly<Record<Outcome, number>>;

export interface Receipt extends Counts {
  readonly byKind: Readonly<Partial<Record<ReceiptKind, Counts>>>;
  readonly records: readonly ReceiptRecord[];
}

export type MaxLoss = Readonly<Partial<Record<ReceiptKind, number>>>;

export function toReceipt(records: readonly ReceiptRecord[]): Receipt {
  const total = { kept: 0, rewritten: 0, noted: 0, dropped: 0 };
  const byKind: Partial<Record<ReceiptKind, Record<Outcome, number>>> = {};
  for (const { kind, outcome } of records) {
    total[outcome] += 1;
    const counts = byKind[kind] ?? { kept: 0, rewritten: 0, noted: 0, dropped: 0 };
    counts[outcome] += 1;
    byKind[kind] = counts;
  }
  return { ...total, byKind, records };
}

/** Returns the receipt with these lines added to its records. */
export function withLines(receipt: Receipt, lines: readonly ReceiptRecord[]): Receipt {
  return lines.length === 0 ? receipt : toReceipt([...receipt.records, ...lines]);
}

/** Returns each kind of which more records were noted or dropped than `maxLoss` allows, with their number. */
export function excessOf(receipt: Receipt, maxLoss: MaxLoss): MaxLoss {
  const excess: Partial<Record<ReceiptKind, number>> = {};
  for (const kind of RECEIPT_KINDS) {
    const counts = receipt.byKind[kind];
    const lost = counts === undefined ? 0 : counts.noted + counts.dropped;
    if (lost > (maxLoss[kind] ?? Number.POSITIVE_INFINITY)) excess[kind] = lost;
  }
  return excess;
}

export function kindOf(block: Block): ReceiptKind {
  return block.type === "unknown" ? "other" : block.type;
}

/**
 * Returns the blocks that have lines of their own in the receipt: every block, and, after the result of a tool, those
 * blocks in it that are not text.
 */
export function toldApart(content: readonly Block[]): readonly Block[] {
  return content.flatMap((block) =>
    block.type === "tool_result" ? [block, ...block.content.filter(({ type }) => type !== "text")] : [block],
  );
}

/** Returns the lines of the receipt for blocks that all have this outcome. */
export function linesOf(
  content: readonly Block[],
  { place, outcome, reason }: Pick<ReceiptRecord, "place" | "outcome" | "reason">,
): ReceiptRecord[] {
  return toldApart(content).map((block) => ({ place, kind: kindOf(block), outcome, reason }));
}

export function placeText(places: readonly RecordPlace[] | undefined): string {
  const place = places?.[0];
  if (place === undefined) return "";
  if (place.row !== undefined) return place.row;
  if (place.file === undefined) return `line ${place.line ?? "?"}`;
  return `${place.file}:${place.line ?? "?"}`;
}
