import { PassThrough } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Shell } from "../terminal/index.ts";
import { openKeyboard } from "./keyboard.ts";
import { REPL_LIMITS } from "./limits.ts";

function keyboard() {
  const stdin = Object.assign(new PassThrough(), { setRawMode: () => undefined });
  const stdout = Object.assign(new PassThrough(), { columns: 80 });
  const onExit = (): Disposable => ({ [Symbol.dispose]: () => undefined });
  const shell = { stdin, stdout, onExit } as unknown as Shell;
  const history = { entries: [], add: () => undefined };
  const input = openKeyboard({ shell, history, complete: () => [[], ""] } as never);
  if (input.nextKey === undefined) throw new Error("a keyboard has keys");
  return {
    input,
    nextKey: input.nextKey,
    stdin,
    onKey: () => new Promise((seen) => stdin.once("data", seen)),
  };
}

test("a question that comes up in the middle of a line is answered by no letter of it, but after a pause", async () => {
  const { input, nextKey, stdin, onKey } = keyboard();
  using _closed = input;
  const begun = onKey();
  stdin.write("wh");
  await begun;
  const key = nextKey(new AbortController().signal);
  // `a` would allow it always.
  stdin.write("a");
  expect(await Promise.race([key, sleep(50, "nothing")])).toBe("nothing");
  await sleep(REPL_LIMITS.typingMs + 50);
  stdin.write("y");
  expect(await key).toBe("y");
  const line = input.read("> ");
  stdin.write("t now\r");
  expect(await line).toEqual({ type: "line", text: "what now" });
});

test("a question is answered at once by who types no line, or has ended it", async () => {
  const { input, nextKey, stdin, onKey } = keyboard();
  using _closed = input;
  const begun = onKey();
  stdin.write("done\r");
  await begun;
  const key = nextKey(new AbortController().signal);
  stdin.write("n");
  expect(await key).toBe("n");
});
