import { expect, test } from "vitest";
import { afterFailure, type Breaker, CLOSED_BREAKER, mayTry, retryMs } from "../writers/index.ts";
import { checkpointRetryMs, isCheckpointDue } from "./checkpoint.ts";

test("a checkpoint is due after 5 minutes or 10 notes, and never when nothing was appended", () => {
  const due = (events: number, notes: number, nowMs: number): boolean =>
    isCheckpointDue({ atMs: 0, events, notes }, nowMs);
  expect(due(1, 0, 299_999)).toBe(false);
  expect(due(1, 0, 300_000)).toBe(true);
  expect(due(30, 9, 1)).toBe(false);
  expect(due(30, 10, 1)).toBe(true);
  expect(due(0, 0, 900_000)).toBe(false);
});

test("a failed checkpoint is tried again after 1 s, doubling to 60 s", () => {
  expect([1, 2, 3, 6, 7, 8, 50].map(checkpointRetryMs)).toEqual([
    1_000, 2_000, 4_000, 32_000, 60_000, 60_000, 60_000,
  ]);
});

test("after 5 failed batches no batch is tried for 30 s, then one", () => {
  let breaker: Breaker = CLOSED_BREAKER;
  for (let n = 1; n < 5; n++) breaker = afterFailure(breaker, n);
  expect(mayTry(breaker, 5)).toBe(true);
  breaker = afterFailure(breaker, 5);
  expect([mayTry(breaker, 6), mayTry(breaker, 30_004), mayTry(breaker, 30_005)]).toEqual([
    false,
    false,
    true,
  ]);
  expect(mayTry(afterFailure(breaker, 30_005), 30_006)).toBe(false);
});

test("a batch is tried again after 1, 2 and 4 s", () => {
  expect([1, 2, 3].map(retryMs)).toEqual([1_000, 2_000, 4_000]);
});
