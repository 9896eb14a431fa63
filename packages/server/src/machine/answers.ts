/** Results of actions as answers of bounded size. Pure. */

import type { HandOff } from "@continuo/agents/handoff";
import { cutText } from "@continuo/core/model";
import type { HandOffPreview, RepairAnswer } from "@continuo/core/wire/machine";
import type { SessionRepair } from "@continuo/native/editing";
import { MACHINE_LIMITS } from "./limits.ts";

export function toRepairAnswer({ edits, remaining, written, trashId }: SessionRepair): RepairAnswer {
  return {
    edits: edits.slice(0, MACHINE_LIMITS.edits).map(({ type, reason, line, row, before, after }) => ({
      type,
      reason,
      line,
      row: row ?? null,
      before: cut(before),
      after: cut(after),
    })),
    editCount: edits.length,
    remaining: remaining.slice(0, MACHINE_LIMITS.remaining).map(({ message }) => message),
    remainingCount: remaining.length,
    written: written !== null,
    trashId,
  };
}

function cut(record: string | null): string | null {
  return record === null ? null : cutText(record, MACHINE_LIMITS.recordChars);
}

export function toPreview({ agent, receipt }: Pick<HandOff, "agent" | "receipt">): HandOffPreview {
  const reasons = new Map<string, HandOffPreview["receipt"]["reasons"][number]>();
  for (const { kind, outcome, reason } of receipt.records) {
    // The command reports the same: kept records need no reason, and neither do records outside of the conversation.
    if (outcome === "kept" || (outcome === "noted" && kind === "other")) continue;
    const name = JSON.stringify([kind, outcome, reason]);
    const count = (reasons.get(name)?.count ?? 0) + 1;
    reasons.set(name, { kind, outcome, reason, count });
  }
  return {
    agent,
    receipt: { byKind: receipt.byKind, reasons: [...reasons.values()].slice(0, MACHINE_LIMITS.reasons) },
  };
}
