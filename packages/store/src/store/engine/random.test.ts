import { expect, test } from "vitest";
import { fillRandom } from "./random.ts";

test("all bytes are filled, and none are given twice", () => {
  const ids = Array.from({ length: 2_000 }, () =>
    Buffer.from(fillRandom(new Uint8Array(10))).toString("hex"),
  );
  expect(new Set(ids).size).toBe(ids.length);
  // Each byte is zero in one of 256: a byte that is always zero was not filled.
  for (let at = 0; at < 20; at += 2) {
    expect(new Set(ids.map((id) => id.slice(at, at + 2))).size).toBeGreaterThan(200);
  }
});

test("the array that was given is returned", () => {
  const bytes = new Uint8Array(7);
  expect(fillRandom(bytes)).toBe(bytes);
});
