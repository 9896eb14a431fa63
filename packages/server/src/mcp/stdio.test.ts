import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { serveMcpOnStdio } from "./stdio.ts";
import { maxTokensInput, offsetInput, sessionInput } from "./tool.ts";
import type { ToolContext } from "./tool-context.ts";

function serve() {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const stop = new AbortController();
  const context = { asking: null } as unknown as ToolContext;
  const report = (): void => undefined;
  const ended = serveMcpOnStdio({ context, input, output, signal: stop.signal, report });
  const outcome = Promise.race([
    ended.then(() => "ended"),
    new Promise((resolve) => setTimeout(resolve, 5_000, "it still runs").unref()),
  ]);
  return { input, stop, outcome };
}

test("the server ends when its client is gone, and when its signal aborts", async () => {
  const gone = serve();
  gone.input.end();
  gone.input.resume();
  expect(await gone.outcome).toBe("ended");
  const stopped = serve();
  stopped.stop.abort();
  expect(await stopped.outcome).toBe("ended");
});

test("arguments that several tools take are bounded", () => {
  const isAccepted = (input: { safeParse(value: unknown): { success: boolean } }, value: unknown): boolean =>
    input.safeParse(value).success;
  expect([200, 20_000].map((tokens) => isAccepted(maxTokensInput, tokens))).toEqual([true, true]);
  expect([199, 20_001, 1.5].map((tokens) => isAccepted(maxTokensInput, tokens))).toEqual([
    false,
    false,
    false,
  ]);
  expect([0, -1].map((offset) => isAccepted(offsetInput, offset))).toEqual([true, false]);
  expect(["", "a", "a".repeat(2_001)].map((name) => isAccepted(sessionInput, name))).toEqual([
    false,
    true,
    false,
  ]);
});
