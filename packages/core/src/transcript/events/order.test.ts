import fc from "fast-check";
import { expect, test } from "vitest";
import { rounds } from "../../../../../test/sizes/counts.ts";
import type { EventLike } from "./entry.ts";
import { inOrder } from "./order.ts";

interface Marked extends EventLike {
  readonly mark: number;
}

const event = fc.record(
  {
    type: fc.constant("message_sent"),
    sequence: fc.nat(5),
    id: fc.constantFrom("a", "b"),
    timestamp: fc.constantFrom(
      "2026-01-01T00:00:00Z",
      "2026-01-01T00:00:00.000Z",
      "2026-01-01T00:00:00.5Z",
      "odd",
    ),
  },
  { requiredKeys: ["type"] },
);
const events = fc
  .array(event, { maxLength: 12 })
  .map((list) => list.map((one, mark): Marked => ({ ...one, mark })));

/** Returns the key of the order; the same for events that are equal in it. */
function keyOf({ sequence, id, timestamp }: EventLike): string {
  return JSON.stringify([sequence, Date.parse(String(timestamp)), id]);
}

function ordered(list: readonly Marked[]): readonly Marked[] {
  const { sequenced, loose } = inOrder(list);
  return [...sequenced, ...loose];
}

test("shuffled events get one order; equal events keep the order in which they were given", () => {
  fc.assert(
    fc.property(
      events.chain((list) =>
        fc.tuple(
          fc.constant(list),
          fc.shuffledSubarray(list, { minLength: list.length, maxLength: list.length }),
        ),
      ),
      ([list, shuffled]) => {
        expect(ordered(shuffled).map(keyOf)).toEqual(ordered(list).map(keyOf));
        for (const [given, result] of [
          [list, ordered(list)],
          [shuffled, ordered(shuffled)],
        ] as const) {
          for (const key of new Set(given.map(keyOf))) {
            const isOf = (one: EventLike): boolean => keyOf(one) === key;
            expect(result.filter(isOf)).toEqual(given.filter(isOf));
          }
        }
      },
    ),
    { numRuns: rounds(1000) },
  );
});

test("events with a sequence come first, then the others by time and id; events without a time come last", () => {
  const list: EventLike[] = [
    { type: "x", id: "4" },
    { type: "x", id: "3", timestamp: "2026-01-01T00:00:00.5Z" },
    { type: "x", id: "2", timestamp: Date.UTC(2026, 0, 1) },
    { type: "x", id: "1", timestamp: "2026-01-01T00:00:00Z" },
    { type: "x", sequence: 9, id: "9", timestamp: "2001-01-01T00:00:00Z" },
    { type: "x", sequence: 8, id: "8", timestamp: "2030-01-01T00:00:00Z" },
  ];
  const { sequenced, loose } = inOrder(list);
  expect([...sequenced, ...loose].map(({ id }) => id).join("")).toBe("891234");
});

test("a sequence may be digits as text; anything but a whole number is no sequence", () => {
  const list: EventLike[] = [
    { type: "x", sequence: "10", id: "c" },
    { type: "x", sequence_number: "9", id: "b" },
    { type: "x", sequence: 2, id: "a" },
    { type: "x", sequence: "9e1", id: "d" },
    { type: "x", sequence: "", id: "e" },
  ];
  const { sequenced, loose } = inOrder(list);
  expect([sequenced, loose].map((some) => some.map(({ id }) => id).join(""))).toEqual(["abc", "de"]);
});
