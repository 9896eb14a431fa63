import { PassThrough } from "node:stream";
import { setImmediate as immediate, setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Shell } from "../terminal/index.ts";
import { nextKeyOf } from "./keys.ts";

function terminal() {
  const modes: boolean[] = [];
  const stdin = Object.assign(new PassThrough(), { setRawMode: (isRaw: boolean) => void modes.push(isRaw) });
  const onExit = (): Disposable => ({ [Symbol.dispose]: () => undefined });
  return { stdin, modes, shell: { stdin, onExit } as unknown as Shell };
}

test("keys from before a question is readable do not answer it; later keys do, one after another", async () => {
  const { stdin, modes, shell } = terminal();
  let interrupts = 0;
  const nextKey = nextKeyOf(shell, () => {
    interrupts += 1;
  });
  const { signal } = new AbortController();
  // The key `a` would allow the call permanently.
  stdin.write("clear\n");
  const first = nextKey(signal);
  stdin.write("\u0003");
  await expect(Promise.race([first, sleep(400, "nothing")])).resolves.toBe("nothing");
  await immediate();
  stdin.write("x");
  expect(await first).toBe("x");
  const second = nextKey(signal);
  stdin.write("y");
  expect([await second, interrupts, modes]).toEqual(["y", 1, [true, false, true, false]]);
});

test("a key from before the question is not an answer, even if this process was delayed after the question", async () => {
  const { stdin, shell } = terminal();
  const nextKey = nextKeyOf(shell, () => undefined);
  const stop = new AbortController();
  const key = nextKey(stop.signal);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);
  stdin.write("a");
  await immediate();
  stop.abort(new Error("nobody answered"));
  await expect(key).rejects.toThrow("nobody answered");
});

test("each Ctrl-C counts, even if several arrive at once, and keys before it are not an answer", async () => {
  const { stdin, shell } = terminal();
  let interrupts = 0;
  const nextKey = nextKeyOf(shell, () => {
    interrupts += 1;
  });
  const { signal } = new AbortController();
  const first = nextKey(signal);
  await sleep(400);
  await immediate();
  stdin.write("a\u0003\u0003");
  stdin.write("\u0003n");
  expect([await first, interrupts]).toEqual(["n", 3]);
});

test("waiting for a key ends when the question is withdrawn", async () => {
  const { shell, modes } = terminal();
  const stop = new AbortController();
  const key = nextKeyOf(shell, () => undefined)(stop.signal);
  stop.abort(new Error("taken back"));
  await expect(key).rejects.toThrow("taken back");
  expect(modes).toEqual([true, false]);
});
