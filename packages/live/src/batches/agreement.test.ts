import { expect, test } from "vitest";
import { confidenceOf } from "./agreement.ts";

function opinion(text: string, confidence: number, ...evidence: readonly string[]) {
  return { draftId: "d", text, startMs: 0, endMs: 1_000, confidence, evidence };
}

test("confidence rises with each segment that says the same, and never reaches 1", () => {
  const base = opinion("The harbour opens at dawn", 0.8, "a");
  const once = confidenceOf(opinion("The harbour opens at dawn", 0.7, "b"), [base]);
  expect(once).toBe(0.87);
  const twice = confidenceOf(opinion("The harbour opens at dawn", 0.7, "c"), [{ ...base, confidence: once }]);
  expect(twice).toBeGreaterThan(once);
  const sure = confidenceOf(opinion("x", 1, "c"), [opinion("x", 1, "d")]);
  expect(sure).toBe(0.99);
});

test("a draft on the same evidence does not count as a second opinion, and does not lower the confidence", () => {
  expect(
    confidenceOf(opinion("It opens early", 0.7, "a"), [opinion("It opens at dawn", 0.9, "a", "b")]),
  ).toBe(0.9);
});

test.each([
  ["The harbour opens at 6", "The harbour opens at 7"],
  ["The keeper slept at night", "The keeper never slept at night"],
  ["Der Hafen öffnet heute", "Der Hafen öffnet heute nicht"],
  ["港は開きます", "港は開きません"],
])("confidence falls below both where %j meets %j", (one, other) => {
  const fallen = confidenceOf(opinion(one, 0.9, "a"), [opinion(other, 0.8, "b")]);
  expect(fallen).toBe(0.64);
});

test("merging notes that agree gives a higher confidence than each of them has", () => {
  const bases = [opinion("x at dawn", 0.7, "a"), opinion("x at dawn", 0.75, "b")];
  expect(confidenceOf(opinion("x at dawn", 0.65, "c"), bases)).toBeGreaterThan(0.85);
});
