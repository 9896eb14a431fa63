import { describe, expect, test } from "vitest";
import { createIds } from "./ids.ts";

const UUID7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe("ids", () => {
  test("are UUIDv7 with the time in front", () => {
    const newId = createIds({ now: () => 0x0123456789ab, random: (bytes) => bytes.fill(0xff) });
    expect(newId()).toBe("01234567-89ab-77ff-bfff-ffffffffffff");
  });

  test("never share their random parts, and request random bytes for many ids at once", () => {
    let asked = 0;
    const newId = createIds({
      now: () => 1_000,
      random: (bytes) => {
        asked += 1;
        crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);
      },
    });
    const tails = Array.from({ length: 2_000 }, () => newId().slice(19).replace("-", ""));
    expect(new Set(tails).size).toBe(tails.length);
    expect(asked).toBeLessThan(40);
    // A byte that was not filled would be zero in every id.
    for (let at = 2; at < 16; at += 2) {
      expect(new Set(tails.map((tail) => tail.slice(at, at + 2))).size).toBeGreaterThan(200);
    }
  });

  test("grow strictly within a millisecond, when it is full, and when the clock steps back", () => {
    const times = [...Array.from({ length: 5_000 }, () => 1_000), 500, 999, 1_001, 2_000];
    const ids: string[] = [];
    const newId = createIds({
      now: () => times[ids.length] ?? 0,
      random: (bytes) => crypto.getRandomValues(bytes),
    });
    for (const _ of times) ids.push(newId());
    expect(ids.every((id) => UUID7.test(id))).toBe(true);
    expect(ids).toEqual([...new Set(ids)].sort());
  });
});
