import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Request } from "./link.ts";
import { Writer } from "./writer.ts";

let sent: Request[] = [];
let writer: Writer;
beforeEach(() => {
  vi.useFakeTimers();
  sent = [];
  let ids = 0;
  writer = new Writer(
    async (request) => void sent.push(request),
    () => `id-${++ids}`,
  );
  writer.opened("m", "");
});
afterEach(() => {
  vi.useRealTimers();
});

const deltas = (): readonly unknown[] => sent.map((request) => "delta" in request && request.delta);

test("deltas are gathered for 50 ms from the first one", async () => {
  const stored = [writer.append("m", "a")];
  vi.advanceTimersByTime(30);
  stored.push(writer.append("m", "b"));
  vi.advanceTimersByTime(19);
  expect(deltas()).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(deltas()).toEqual(["ab"]);
  await Promise.all(stored);
  void writer.append("m", "c");
  vi.advanceTimersByTime(50);
  expect(deltas()).toEqual(["ab", "c"]);
});

test("4 KB of deltas are sent at once", () => {
  void writer.append("m", "x".repeat(4_095));
  expect(deltas()).toEqual([]);
  void writer.append("m", "y");
  expect(deltas()).toEqual([`${"x".repeat(4_095)}y`]);
  vi.advanceTimersByTime(1_000);
  expect(sent).toHaveLength(1);
});

test("the end of a message sends what was gathered before it, and holds the whole text", async () => {
  void writer.append("m", "one ");
  await writer.replace("m", "two ");
  void writer.append("m", "three");
  await writer.complete("m");
  expect(sent).toMatchObject([
    { type: "append", delta: "one " },
    { type: "replace", content: "two " },
    { type: "append", delta: "three" },
    { type: "complete", content: "two three" },
  ]);
});

test("a delta of a message that the server ended fails, and is not sent", async () => {
  const waiting = writer.append("m", "x").then(
    () => "stored",
    ({ code }) => code,
  );
  writer.interrupted("m");
  vi.advanceTimersByTime(50);
  vi.useRealTimers();
  const later = new Promise((resolve) => void setTimeout(resolve, 20, "nothing"));
  expect([await Promise.race([waiting, later]), deltas()]).toEqual(["conflict", []]);
});
