import { PassThrough } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Shell } from "../terminal/index.ts";
import { nextKeyOf } from "./keys.ts";

function terminal() {
  const modes: boolean[] = [];
  const stdin = Object.assign(new PassThrough(), { setRawMode: (isRaw: boolean) => void modes.push(isRaw) });
  const onExit = (): Disposable => ({ [Symbol.dispose]: () => undefined });
  return { stdin, modes, shell: { stdin, onExit } as unknown as Shell };
}

test("what was typed before a question could be read answers it not; later keys do, one after another", async () => {
  const { stdin, modes, shell } = terminal();
  let interrupts = 0;
  const nextKey = nextKeyOf(shell, () => {
    interrupts += 1;
  });
  const { signal } = new AbortController();
  // `a` would allow it always.
  stdin.write("clear\n");
  const first = nextKey(signal);
  stdin.write("\u0003");
  await expect(Promise.race([first, sleep(400, "nothing")])).resolves.toBe("nothing");
  stdin.write("x");
  expect(await first).toBe("x");
  const second = nextKey(signal);
  stdin.write("y");
  expect([await second, interrupts, modes]).toEqual(["y", 1, [true, false, true, false]]);
});

test("nobody waits for a key any more when the question is taken back", async () => {
  const { shell, modes } = terminal();
  const stop = new AbortController();
  const key = nextKeyOf(shell, () => undefined)(stop.signal);
  stop.abort(new Error("taken back"));
  await expect(key).rejects.toThrow("taken back");
  expect(modes).toEqual([true, false]);
});
