import { describe, expect, test } from "vitest";
import { createIds } from "./ids.ts";

const UUID7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe("ids", () => {
  test("are UUIDv7 with the time in front", () => {
    const newId = createIds({ now: () => 0x0123456789ab, random: (bytes) => bytes.fill(0xff) });
    expect(newId()).toBe("01234567-89ab-77ff-bfff-ffffffffffff");
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
