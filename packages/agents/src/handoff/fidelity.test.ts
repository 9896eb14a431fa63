import { expect, test } from "vitest";
import { toReceipt } from "./converting/index.ts";
import { assertWithinLoss } from "./fidelity.ts";

const line = { place: "line 1", reason: "" } as const;
const RECEIPT = toReceipt([
  { ...line, kind: "text", outcome: "kept" },
  { ...line, kind: "text", outcome: "rewritten" },
  { ...line, kind: "image", outcome: "noted" },
  { ...line, kind: "image", outcome: "dropped" },
  { ...line, kind: "thinking", outcome: "noted" },
]);

test.each([{}, { text: 0 }, { image: 2 }, { image: 2, thinking: 1, tool_call: 0 }])(
  "a hand-over that loses two pictures and one thought is within the loss %j",
  (maxLoss) => {
    expect(() => assertWithinLoss(RECEIPT, maxLoss)).not.toThrow();
  },
);

test("a hand-over may lose anything if no limit is given", () => {
  expect(() => assertWithinLoss(RECEIPT)).not.toThrow();
});

test.each([
  [{ image: 1 }, "2 image", { image: 2 }],
  [{ thinking: 0 }, "1 thinking", { thinking: 1 }],
  [{ image: 0, thinking: 0 }, "1 thinking, 2 image", { thinking: 1, image: 2 }],
])("a hand-over that loses more than %j fails with the counts", (maxLoss, what, lost) => {
  expect(() => assertWithinLoss(RECEIPT, maxLoss)).toThrow(
    expect.objectContaining({
      code: "fidelity",
      message: `the hand-over would lose more than is allowed: ${what}; nothing was written`,
      hint: "Use `--dry-run` to see what would be lost, and why.",
      details: { lost, receipt: RECEIPT },
    }),
  );
});
