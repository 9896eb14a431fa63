import { expect, test } from "vitest";
import { Stage, StageEntry } from "./stage.ts";

test("a turn of this connection begins although the end of another one was never seen", async () => {
  const stage = new Stage();
  await stage.enter();
  const own = new StageEntry(stage, 20);
  await own.enter();
  await own.leave();
  await new StageEntry(stage, 20).enter();
});

test("turns enter one after the other, in the order in which they came", async () => {
  const stage = new Stage();
  const order: string[] = [];
  const leave = await stage.enter();
  const own = new StageEntry(stage, 60_000);
  const second = own.enter().then(() => void order.push("second"));
  const third = stage.enter().then(() => void order.push("third"));
  await new Promise((resolve) => setImmediate(resolve));
  expect(order).toEqual([]);
  leave();
  await second;
  expect(order).toEqual(["second"]);
  await own.leave();
  await third;
  expect(order).toEqual(["second", "third"]);
});
