/** The loss that a hand-over allows. Pure. */

import { ContinuoError } from "@continuo/core/model";
import { excessOf, type MaxLoss, type Receipt } from "./converting/index.ts";

/** Errors: `fidelity` with `details.lost` by kind, if the receipt shows a greater loss than is allowed. */
export function assertWithinLoss(receipt: Receipt, maxLoss: MaxLoss = {}): void {
  const lost = excessOf(receipt, maxLoss);
  const what = Object.entries(lost).map(([kind, count]) => `${count} ${kind}`);
  if (what.length === 0) return;
  throw new ContinuoError(
    "fidelity",
    `the hand-over would lose more than is allowed: ${what.join(", ")}; nothing was written`,
    {
      hint: "Use `--dry-run` to see what would be lost, and why.",
      details: { lost, receipt },
    },
  );
}
