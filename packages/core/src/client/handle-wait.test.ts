import { expect, test } from "vitest";
import { ContinuoError } from "../model/index.ts";
import { HandleWait } from "./handle-wait.ts";

function refusal(leftMs?: number): ContinuoError {
  return new ContinuoError("handle_taken", "the handle is taken", { details: { leftMs } });
}

test("a client waits for the handle of a participant that is silent, even over a slow network", () => {
  const wait = new HandleWait();
  expect(wait.isOpen(refusal(9_000), 1_000)).toBe(true);
  expect(wait.isOpen(refusal(8_000), 2_000)).toBe(true);
  expect(wait.isOpen(refusal(6_000), 5_400)).toBe(true);
});

test("a holder that renews its lease keeps the handle", () => {
  const wait = new HandleWait();
  const heard = [0, 1_000, 2_000].map((nowMs) => wait.isOpen(refusal(10_000), nowMs));
  expect(heard).toEqual([true, true, false]);
});

test("a holder that is known to be connected, and any other refusal, end the wait", () => {
  expect(new HandleWait().isOpen(refusal(), 0)).toBe(false);
  const forbidden = new ContinuoError("forbidden", "no", { details: { leftMs: 1 } });
  expect(new HandleWait().isOpen(forbidden, 0)).toBe(false);
});
