import { expect, test } from "vitest";
import { createListeningClock } from "./listening-clock.ts";

test("a listening clock does not count the time in which nobody asked it", () => {
  let nowMs = 1_000;
  const clock = createListeningClock(() => nowMs);
  const passed = (ms: number): number => {
    nowMs += ms;
    return clock.now();
  };
  expect([passed(100), passed(900), passed(15_000), passed(100)]).toEqual([1_100, 2_000, 2_000, 2_100]);
});
