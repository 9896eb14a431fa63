import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { cancelReason, createStops, pause, type StopOptions } from "./stops.ts";

const NONE: StopOptions = { signal: undefined, timeoutMs: undefined, maxDurationMs: undefined };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test("the first reason counts", () => {
  const stops = createStops(NONE);
  expect([stops.stop, stops.signal.aborted]).toEqual([null, false]);
  stops.end({ status: "cancelled", reason: "enough" });
  stops.end({ status: "timeout", timeoutMs: 1 });
  expect(stops.stop).toEqual({ status: "cancelled", reason: "enough" });
});

test("a run that ran out of time keeps that reason, whatever comes after it", () => {
  const stops = createStops({ ...NONE, timeoutMs: 50 });
  vi.advanceTimersByTime(50);
  stops.end({ status: "cancelled", reason: "enough" });
  stops.end({ status: "failed", error: new Error("no") });
  expect(stops.stop).toEqual({ status: "timeout", timeoutMs: 50 });
});

const FAILURE = new Error("no");

test.each([
  [{ status: "cancelled", reason: "enough" }, "the run was cancelled: enough"],
  [{ status: "cancelled" }, "the run was cancelled: no reason given"],
  [
    { status: "cancelled", exceeded: { limit: "maxTokens", value: 2, allowed: 1 } },
    "the run was cancelled: the budget was used up (maxTokens)",
  ],
  [{ status: "timeout", timeoutMs: 50 }, "the run took longer than 50 ms"],
] as const)("of %j the agent hears `interrupted`: %s", (stop, message) => {
  const stops = createStops(NONE);
  stops.end(stop);
  expect(stops.signal.reason).toMatchObject({ code: "interrupted", message });
});

test.each(["failed", "lost"] as const)("the agent of a run that is %s gets the error itself", (status) => {
  const stops = createStops(NONE);
  stops.end({ status, error: FAILURE });
  expect(stops.signal.reason).toBe(FAILURE);
});

test.each([
  ["enough", "enough"],
  [new Error("too dear"), "too dear"],
  [undefined, "the caller's signal"],
  [7, "the caller's signal"],
])("a signal that aborts with %s cancels the run: %s", (given, reason) => {
  const controller = new AbortController();
  const stops = createStops({ ...NONE, signal: controller.signal });
  controller.abort(given);
  expect(stops.stop).toEqual({ status: "cancelled", reason });
  expect(createStops({ ...NONE, signal: controller.signal }).stop).toEqual({ status: "cancelled", reason });
});

test("a run that takes too long stops, not before", () => {
  const stops = createStops({ ...NONE, timeoutMs: 50 });
  vi.advanceTimersByTime(49);
  expect(stops.stop).toBeNull();
  vi.advanceTimersByTime(1);
  expect(stops.stop).toEqual({ status: "timeout", timeoutMs: 50 });
});

test("the budget of time is a budget", () => {
  const stops = createStops({ ...NONE, maxDurationMs: 50 });
  vi.advanceTimersByTime(50);
  const exceeded = { limit: "maxDurationMs", value: 50, allowed: 50 };
  expect(stops.stop).toEqual({ status: "cancelled", exceeded });
});

test("a time that no timer can measure does not end at once", () => {
  const stops = createStops({ ...NONE, timeoutMs: 2 ** 40 });
  vi.advanceTimersByTime(1_000);
  expect(stops.stop).toBeNull();
});

test("after the close no reason counts", () => {
  const controller = new AbortController();
  const stops = createStops({ signal: controller.signal, timeoutMs: 50, maxDurationMs: 50 });
  stops.close();
  controller.abort("late");
  vi.advanceTimersByTime(100);
  expect(stops.stop).toBeNull();
  expect(vi.getTimerCount()).toBe(0);
});

test("a cancellation reports its reason, if it has one", () => {
  expect(cancelReason({ status: "cancelled" })).toBeUndefined();
  expect(cancelReason({ status: "cancelled", reason: "enough" })).toBe("enough");
});

test("a pause ends when its time is over, or early when the signal aborts", async () => {
  const done: string[] = [];
  const controller = new AbortController();
  void pause(50).then(() => done.push("time"));
  void pause(60, controller.signal).then(() => done.push("signal"));
  await vi.advanceTimersByTimeAsync(49);
  expect(done).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  controller.abort();
  await vi.advanceTimersByTimeAsync(0);
  expect(done).toEqual(["time", "signal"]);
  // Test files share a worker, so a timer of another file may still exist.
  const timers = vi.getTimerCount();
  await pause(60, controller.signal);
  expect(vi.getTimerCount()).toBe(timers);
});
