import { type ReceiptRecord, toReceipt } from "@continuo/agents/handoff/converting";
import { expect, test } from "vitest";
import { receiptLines } from "./receipt.ts";

const record = (kind: ReceiptRecord["kind"], outcome: ReceiptRecord["outcome"], reason = "") =>
  ({ place: "line 1", kind, outcome, reason }) as const;
const WHOLE = [
  record("text", "kept"),
  record("tool_call", "kept"),
  record("other", "noted", "a record of the agent's own"),
];

test("a receipt is one line if nothing of the conversation is lost", () => {
  expect(receiptLines(toReceipt(WHOLE), {})).toEqual(["2 of 2 carried over"]);
  const changed = [...WHOLE, record("thinking", "rewritten", "without its signature")];
  expect(receiptLines(toReceipt(changed), {})).toEqual([
    "3 of 3 carried over; 1 thinking: without its signature",
  ]);
});

test.each(["dropped", "noted"] as const)(
  "a picture that is %s shows the totals by kind and the reasons",
  (outcome) => {
    const lines = receiptLines(toReceipt([...WHOLE, record("image", outcome, "too large")]), {});
    expect(lines).toContain("text         1 kept, 0 rewritten, 0 noted, 0 dropped");
    expect(lines.at(-1)).toBe(`  1 image ${outcome}: too large`);
  },
);

test("--verbose shows the totals although nothing is lost", () => {
  expect(receiptLines(toReceipt(WHOLE), { verbose: true })).toEqual([
    "text         1 kept, 0 rewritten, 0 noted, 0 dropped",
    "tool_call    1 kept, 0 rewritten, 0 noted, 0 dropped",
    "other        0 kept, 0 rewritten, 1 noted, 0 dropped",
  ]);
});
