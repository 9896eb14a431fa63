import { PassThrough } from "node:stream";
import { TALK_LIMITS } from "@continuo/agents/conversations";
import { expect, test } from "vitest";
import type { Shell } from "../terminal/index.ts";
import { readInput } from "./input.ts";

const never = new AbortController().signal;

async function read(prompt: string | null, stdin: PassThrough, signal = never): Promise<string> {
  const shell = { stdin } as unknown as Pick<Shell, "stdin">;
  return await readInput(prompt, shell, { signal, note: () => undefined });
}

test("the whole input of a pipe follows the prompt if its first piece arrives in time", async () => {
  const stdin = new PassThrough();
  const reading = read("review", stdin);
  stdin.write("é".slice(0, 1));
  setImmediate(() => stdin.end(" and more"));
  expect(await reading).toBe("review\n\né and more");
});

test("the prompt and the input together are at most as large as a prompt may be", async () => {
  const input = Buffer.alloc(TALK_LIMITS.promptBytes - 1, "x");
  expect(await read("y", new PassThrough({ highWaterMark: 1e8 }).end(input))).toHaveLength(input.length + 3);
  await expect(read("yy", new PassThrough({ highWaterMark: 1e8 }).end(input))).rejects.toMatchObject({
    code: "too_large",
  });
});

test("an interrupt ends the wait for input that does not arrive", async () => {
  const stop = new AbortController();
  const reading = read("review", new PassThrough(), stop.signal);
  stop.abort(new Error("stopped"));
  await expect(reading).rejects.toThrow("stopped");
});

test("an input without a word is not a prompt, and adds nothing to a given prompt", async () => {
  await expect(read(null, new PassThrough().end(" \n"))).rejects.toMatchObject({ code: "usage" });
  await expect(read(" ", new PassThrough().end("words"))).rejects.toMatchObject({ code: "usage" });
  expect(await read("words", new PassThrough().end(" \n"))).toBe("words");
});
