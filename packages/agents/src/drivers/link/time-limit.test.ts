/** Waiting with a limit: what was awaited may fail after its caller gave up, and must not end the process. */

import { setTimeout as pause } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { within } from "./time-limit.ts";

const late = (): Error => new Error("too late");

test.each([
  ["before the wait begins", AbortSignal.abort(new Error("stopped"))],
  ["while it waits", AbortSignal.timeout(5)],
])("a signal %s ends the wait, and a later failure of the work is nobody's error", async (_when, signal) => {
  const unhandled: unknown[] = [];
  const listen = (reason: unknown): void => void unhandled.push(reason);
  const before = process.listeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection");
  process.on("unhandledRejection", listen);
  onTestFinished(() => {
    process.off("unhandledRejection", listen);
    for (const one of before) process.on("unhandledRejection", one);
  });
  const work = Promise.withResolvers<never>();
  await expect(within(work.promise, { limitMs: 10_000, late, signal })).rejects.toBe(signal.reason);
  work.reject(new Error("the program ended"));
  await pause(10);
  expect(unhandled).toEqual([]);
});
