/** A hand-over in words: what became of each kind of block, and the session that was made. */

import type { HandOff } from "@continuo/agents/handoff";
import type { Receipt } from "@continuo/agents/handoff/converting";
import { visibleLine } from "@continuo/core/transcript";
import { plural, type Shell, tildePath } from "../terminal/index.ts";

/** The receipt and the session, as lines of text that ends with a line feed. */
export function describeHandOff(made: HandOff, shell: Shell): string {
  return `${[...receiptLines(made.receipt), "", ...madeLines(made, shell)].map(visibleLine).join("\n")}\n`;
}

/** The session that was written, where it is, and who read it back. */
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
  const warning = `warning: ${by} reads what ${agent} adds by itself differently: ${asides}`;
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

/** Totals by kind, then each reason with how often it was given. */
export function receiptLines(receipt: Receipt): string[] {
  const lines = Object.entries(receipt.byKind).map(
    ([kind, { kept, rewritten, noted, dropped }]) =>
      `${kind.padEnd(12)} ${kept} kept, ${rewritten} rewritten, ${noted} noted, ${dropped} dropped`,
  );
  const reasons = new Map<string, number>();
  for (const { kind, outcome, reason } of receipt.records) {
    if (outcome === "kept" || (outcome === "noted" && kind === "other")) continue;
    const told = `${kind} ${outcome}: ${reason}`;
    reasons.set(told, (reasons.get(told) ?? 0) + 1);
  }
  const told = [...reasons].map(([reason, count]) => `  ${count} ${reason}`);
  return told.length === 0 ? lines : [...lines, "", ...told];
}
