import { expect, test } from "vitest";
import { merged } from "./event-stream.ts";

test("events of several sources come as they are there, and end when all have ended", async () => {
  const slow = Promise.withResolvers<string>();
  async function* late(): AsyncGenerator<string> {
    yield await slow.promise;
  }
  async function* quick(): AsyncGenerator<string> {
    yield "one";
    yield "two";
    slow.resolve("late");
  }
  expect(await Array.fromAsync(merged([late(), quick()]))).toEqual(["one", "two", "late"]);
});

test("a source that fails ends the others, and a reader that leaves ends every source", async () => {
  const ended: string[] = [];
  async function* endless(name: string): AsyncGenerator<string> {
    try {
      for (;;) yield name;
    } finally {
      ended.push(name);
    }
  }
  async function* failing(): AsyncGenerator<string> {
    yield* [];
    throw new Error("it failed");
  }
  await expect(Array.fromAsync(merged([endless("a"), failing()]))).rejects.toThrow("it failed");
  expect(ended).toEqual(["a"]);
  for await (const name of merged([endless("b"), endless("c")])) if (name === "c") break;
  expect(ended.sort()).toEqual(["a", "b", "c"]);
});
