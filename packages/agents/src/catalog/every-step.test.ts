import type { Message } from "@continuo/core/model";
import type { OpenedSession } from "@continuo/native/kit";
import { expect, test } from "vitest";
import { everyStep } from "./every-step.ts";

/** The keys of the steps of each branch. The message of the step `copy of s1` is that of `s1`. */
const BRANCHES: Readonly<Record<string, readonly string[]>> = {
  old: ["s1", "s2"],
  now: ["s1", "s3", "s4"],
  copied: ["copy of s1", "s5"],
};

function opened(ids: readonly string[]): OpenedSession {
  const steps = (id: string) => {
    const keys = BRANCHES[id] ?? [];
    return {
      keys,
      lastLines: keys.map((_, at) => at + 1),
      async *read(isWanted: (at: number) => boolean) {
        for (const [step, key] of keys.entries())
          if (isWanted(step)) yield { step, messages: [{ id: key.replace("copy of ", "") } as Message] };
      },
    };
  };
  const leaves = ids.map((id) => ({ id, active: id === "now" }));
  return { leaves, steps } as unknown as OpenedSession;
}

async function read(ids: readonly string[], from: number, before: readonly string[] = []) {
  const every = everyStep(opened(ids));
  const steps = await Array.fromAsync(every?.read(from, before, undefined) ?? []);
  return steps.map(({ step, messages }) => [step, messages.map(({ id }) => id)]);
}

test("every branch is read in steps, and what branches share only once", async () => {
  expect(everyStep(opened(["old", "now"]))?.keys).toEqual(["| s1", "s2", "| s1", "s3", "s4"]);
  expect(await read(["old", "now"], 0)).toEqual([
    [0, ["s1"]],
    [1, ["s2"]],
    [3, ["s3"]],
    [4, ["s4"]],
  ]);
  expect(await read(["now"], 1)).toEqual([
    [1, ["s3"]],
    [2, ["s4"]],
  ]);
});

test("a message before the first step that is read does not come again with a later branch", async () => {
  expect(await read(["old", "copied"], 2, ["s1", "s2"])).toEqual([
    [2, []],
    [3, ["s5"]],
  ]);
});
