import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { createOutput } from "./output.ts";

test("output waits for a slow reader, and writes every character", async () => {
  const received: string[] = [];
  let pending = 0;
  const slow = new Writable({
    decodeStrings: false,
    highWaterMark: 10,
    write(chunk: string, _encoding, done) {
      pending = Math.max(pending, slow.writableLength);
      received.push(chunk);
      setImmediate(done);
    },
  });
  const output = createOutput(slow);
  const text = `x${"😀".repeat(100_000)}`;
  await output.write(text);
  await output.write("end");
  expect(received.join("")).toBe(`${text}end`);
  expect(received.every((chunk) => chunk.isWellFormed())).toBe(true);
  expect(pending).toBeLessThanOrEqual(64 * 1024 + 1);
});

test("a text is written completely before the next one begins, also if nothing awaits it", async () => {
  let received = "";
  const slow = new Writable({
    decodeStrings: false,
    highWaterMark: 10,
    write(chunk: string, _encoding, done) {
      received += chunk;
      setImmediate(done);
    },
  });
  const output = createOutput(slow);
  const [long, longer] = ["a".repeat(200_000), "c".repeat(300_000)];
  const first = output.write(long);
  expect(received).not.toBe("");
  void output.write("b");
  void output.write(longer);
  await output.write("d");
  expect(received).toBe(`${long}b${longer}d`);
  await first;
});

test("a closed stream is reported, and writing to it does not hang", async () => {
  const gone = new Writable({ highWaterMark: 1, write: () => undefined });
  const output = createOutput(gone);
  const writing = output.write("a".repeat(200_000));
  gone.destroy();
  await writing;
  await output.write("more");
  expect(output.isClosed).toBe(true);
});
