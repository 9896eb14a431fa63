import { expect, test } from "vitest";
import { JointCommits } from "./joint-commits.ts";
import { LIMITS } from "./limits.ts";

function openCommits(): {
  readonly order: readonly string[];
  write(...names: readonly string[]): Promise<unknown>;
  passMs(ms: number): void;
} {
  let nowMs = 0;
  const commits = new JointCommits(() => nowMs);
  const order: string[] = [];
  return {
    order,
    write: (...names) =>
      Promise.all(names.map((name) => commits.join(name).then(() => void order.push(name)))),
    passMs: (ms) => {
      nowMs += ms;
    },
  };
}

const FEW = Array.from({ length: LIMITS.jointSessions }, (_, n) => `few ${n}`);

test("writes of a few sessions do not wait, and those of many continue together in their order", async () => {
  const { order, write } = openCommits();
  const few = write(...FEW, ...FEW);
  // After a tick, promises have continued, but no timer has.
  await new Promise((resolve) => process.nextTick(resolve));
  expect(order).toEqual([...FEW, ...FEW]);
  const many = ["many 1", "few 0", "many 2", "many 1"];
  const written = write(...many);
  await new Promise((resolve) => process.nextTick(resolve));
  expect(order).toEqual([...FEW, ...FEW]);
  await Promise.all([few, written]);
  expect(order).toEqual([...FEW, ...FEW, ...many]);
});

test("a write does not wait for sessions that wrote some time ago", async () => {
  const { order, write, passMs } = openCommits();
  await write(...FEW);
  passMs(LIMITS.jointLookMs);
  void write("another");
  await new Promise((resolve) => process.nextTick(resolve));
  expect(order).toEqual([...FEW, "another"]);
});
