import { Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { createProgress } from "./progress.ts";
import type { Shell } from "./shell.ts";

interface Stream {
  readonly shell: Shell;
  text(): string;
  columns(columns: number): void;
}

function createStream(isTTY: boolean, env: Readonly<Record<string, string>> = {}): Stream {
  let text = "";
  const stderr = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString();
      done();
    },
  });
  Object.assign(stderr, { isTTY, columns: 40, rows: 5 });
  return {
    shell: { stderr, env } as unknown as Shell,
    text: () => text,
    columns: (columns) => void Object.assign(stderr, { columns }),
  };
}

/** After the time in which nothing is shown, and between two updates. */
const wait = (): Promise<void> => sleep(450);

test("several lines are overwritten in place, also on a terminal that became narrower, and cleared at the end", async () => {
  const stream = createStream(true);
  const progress = createProgress(stream.shell);
  progress.showLines(() => ["too early"]);
  await wait();
  progress.showLines(() => ["one", `\u001b[1m${"x".repeat(30)}\u001b[22m`]);
  const first = `\rone\u001b[K\n\u001b[1m${"x".repeat(30)}\u001b[22m\u001b[K\u001b[J`;
  expect(stream.text()).toBe(first);
  stream.columns(20);
  await wait();
  progress.showLines(() => ["two"]);
  const second = `${first}\r\u001b[2Atwo\u001b[K\u001b[J`;
  expect(stream.text()).toBe(second);
  progress[Symbol.dispose]();
  expect(stream.text()).toBe(`${second}\r\u001b[J`);
});

test("no more lines are shown than the screen has rows, and the last one stays", async () => {
  const stream = createStream(true);
  using progress = createProgress(stream.shell);
  await wait();
  progress.showLines(() => ["1", "2", "3", "4", "5", "6"]);
  expect(stream.text()).toBe("\r3\u001b[K\n4\u001b[K\n5\u001b[K\n6\u001b[K\u001b[J");
});

test.each([
  [false, {}],
  [true, { TERM: "dumb" }],
] as const)("nothing is shown without a terminal that can clear it", async (isTTY, env) => {
  const stream = createStream(isTTY, env);
  const progress = createProgress(stream.shell);
  await wait();
  progress.show("text");
  progress.showLines(() => ["text"]);
  progress[Symbol.dispose]();
  expect(stream.text()).toBe("");
});
