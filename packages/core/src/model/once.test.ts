import { expect, test } from "vitest";
import { once } from "./once.ts";

test("work is done once for all who ask, and nobody who only looks begins it", async () => {
  let times = 0;
  const work = once(async () => ++times);
  expect(await work.begun()).toBeNull();
  expect(await Promise.all([work.get(), work.get(), work.begun()])).toEqual([1, 1, 1]);
  expect(await work.get()).toBe(1);
});

test("a failure reaches all who wait, and the next call tries again", async () => {
  let times = 0;
  const work = once(async () => {
    times += 1;
    if (times === 1) throw new Error("too many open files");
    return times;
  });
  const waiting = await Promise.allSettled([work.get(), work.get()]);
  expect(waiting.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(await work.begun()).toBeNull();
  expect(await work.get()).toBe(2);
});
