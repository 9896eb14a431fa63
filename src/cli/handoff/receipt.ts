/** Describes a hand-over in words: what became of the blocks, and the session that was created. */

import type { HandOff } from "@continuo/agents/handoff";
import type { Receipt, ReceiptRecord } from "@continuo/agents/handoff/converting";
import { visibleLine } from "@continuo/core/transcript";
import { plural, type Shell, tildePath } from "../terminal/index.ts";

/** Returns the receipt and the session as lines of text; the last line ends with a line feed too. */
export function describeHandOff(made: HandOff, flags: ReceiptFlags, shell: Shell): string {
  return `${[...receiptLines(made.receipt, flags), "", ...madeLines(made, shell)].map(visibleLine).join("\n")}\n`;
}

/** Returns lines about the session that was written, its place, and the program that read it back. */
export function madeLines(made: HandOff, shell: Shell): string[] {
  return [
    `${made.agent}:${made.sessionId}  ${made.title}`,
    tildePath(made.location ?? "", shell.home),
    ...readBackLines(made),
    ...broughtBackLines(made),
    ...(made.madeDatabase === null
      ? []
      : [`${made.agent} never ran here: it made its database ${tildePath(made.madeDatabase, shell.home)}`]),
  ];
}

function readBackLines({ agent, verification }: HandOff): string[] {
  if (verification === null) return [];
  const { by, asides } = verification;
  const warning = `warning: content that ${agent} adds by itself differs when ${by} reads it: ${asides}`;
  return [`read back by ${by}`, ...(asides === undefined ? [] : [warning])];
}

function broughtBackLines({ broughtBack }: HandOff): string[] {
  if (broughtBack === null) return [];
  const { agent, sessionId, messages } = broughtBack;
  const name = `${agent}:${sessionId}`;
  if (broughtBack.as === "records")
    return [`${plural(messages, "message")} of ${name} came back with the original records`];
  return [`${plural(messages, "message")} of ${name} came back, written anew`];
}

export interface ReceiptFlags {
  readonly verbose?: true;
}

/**
 * Returns one line if nothing of the conversation is lost; otherwise, and on request, it returns totals by kind, and
 * then each reason with its number.
 */
export function receiptLines(receipt: Receipt, { verbose }: ReceiptFlags): string[] {
  if (verbose !== true && lostOf(receipt) === 0) return [receiptLine(receipt)];
  const lines = Object.entries(receipt.byKind).map(
    ([kind, { kept, rewritten, noted, dropped }]) =>
      `${kind.padEnd(12)} ${kept} kept, ${rewritten} rewritten, ${noted} noted, ${dropped} dropped`,
  );
  const told = [...reasonsOf(receipt, ({ kind, outcome, reason }) => `${kind} ${outcome}: ${reason}`)];
  return told.length === 0 ? lines : [...lines, "", ...told.map(([reason, count]) => `  ${count} ${reason}`)];
}

/** Counts the lost parts; a record of the agent that is only noted contains no part of the conversation. */
function lostOf({ records }: Receipt): number {
  return records.filter(
    ({ kind, outcome }) => outcome === "dropped" || (outcome === "noted" && kind !== "other"),
  ).length;
}

/** Returns e.g. `19 of 19 carried over; 1 thinking: signed by another vendor: without the signature`. */
function receiptLine(receipt: Receipt): string {
  const parts = receipt.records.filter(({ kind, outcome }) => kind !== "other" || outcome !== "noted").length;
  const changes = reasonsOf(receipt, ({ kind, reason }) => `${kind.replaceAll("_", " ")}: ${reason}`);
  return [
    `${parts} of ${parts} carried over`,
    ...[...changes].map(([text, count]) => `${count} ${text}`),
  ].join("; ");
}

/** Counts the records that were not kept as they were, by reason. */
function reasonsOf({ records }: Receipt, toText: (record: ReceiptRecord) => string): Map<string, number> {
  const reasons = new Map<string, number>();
  for (const record of records) {
    const { kind, outcome } = record;
    if (outcome === "kept" || (outcome === "noted" && kind === "other")) continue;
    const text = toText(record);
    reasons.set(text, (reasons.get(text) ?? 0) + 1);
  }
  return reasons;
}
