/**
 * These tests cover the places of things, in layers, and the list of messages above those that were given out.
 */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Message } from "../../model/index.ts";
import { createList } from "./list.ts";
import { createLookup, type Layers, layersOf } from "./lookup.ts";

function message(id: string, more: Partial<Message> = {}): Message {
  return { id, role: "assistant", content: [], metadata: {}, ...more };
}

const step = fc.record({
  thing: fc.constantFrom("message", "call"),
  id: fc.constantFrom("a", "b", "c", "d"),
  position: fc.nat(99),
});

test("in any layers, the newest place of a thing is found, and older lookups stay as they were", () => {
  fc.assert(
    fc.property(fc.array(fc.array(step, { maxLength: 6 }), { maxLength: 8 }), (updates) => {
      const places = new Map<string, number>();
      let layers: Layers = [];
      for (const steps of updates) {
        const before = createLookup(layers);
        const older = new Map(places);
        const lookup = createLookup(layers);
        for (const { thing, id, position } of steps) {
          lookup.set(thing, id, position);
          places.set(`${thing} ${id}`, position);
        }
        layers = lookup.layers();
        for (const thing of ["message", "call"] as const) {
          for (const id of ["a", "b", "c", "d"]) {
            expect(lookup.find(thing, id)).toBe(places.get(`${thing} ${id}`));
            expect(createLookup(layers).find(thing, id)).toBe(places.get(`${thing} ${id}`));
            expect(before.find(thing, id)).toBe(older.get(`${thing} ${id}`));
          }
        }
      }
    }),
  );
});

test("layers stay few, however many updates there are", () => {
  let layers: Layers = [];
  for (let at = 0; at < 1_000; at++) {
    const lookup = createLookup(layers);
    lookup.set("message", `m${at}`, at);
    layers = lookup.layers();
  }
  expect(layers.length).toBeLessThanOrEqual(10);
  expect(createLookup(layers).layers()).toHaveLength(layers.length);
});

test("a large layer is not copied for a small one", () => {
  const large = createLookup([]);
  for (let at = 0; at < 5; at++) large.set(at % 2 === 0 ? "message" : "call", `m${at}`, at);
  const small = createLookup(large.layers());
  small.set("call", "c", 9);
  small.set("message", "m", 9);
  expect(small.layers()).toHaveLength(2);
  small.set("call", "d", 9);
  expect(small.layers()).toHaveLength(1);
});

test("messages from elsewhere are found by their names, and their calls by their ids", () => {
  const call = (id: string) => ({ type: "tool_call", id, name: "read", args: {} }) as const;
  const lookup = createLookup(
    layersOf([
      message("a", { metadata: { messageId: "m" }, content: [{ type: "text", text: "Hm." }, call("c")] }),
      message("b", { metadata: { messageId: 7 }, content: [call("d"), call("c")] }),
    ]),
  );
  expect(["m", "a", "b"].map((id) => lookup.find("message", id))).toEqual([0, undefined, undefined]);
  expect(["c", "d", "m"].map((id) => lookup.find("call", id))).toEqual([1, 1, undefined]);
});

describe("a list over messages that were given out", () => {
  const [a, b, c, d] = [message("a"), message("b"), message("c"), message("d")] as const;

  test("has what is new and what was replaced, and leaves them untouched", () => {
    const given = [a, b];
    const list = createList(given);
    expect([list.length, list.at(1), list.at(2), list.at(undefined)]).toEqual([2, b, undefined, undefined]);
    expect([list.push(c), list.push(c), list.length]).toEqual([2, 3, 4]);
    list.replace(0, d);
    list.replace(3, a);
    expect([list.at(0), list.at(1), list.at(2), list.at(3)]).toEqual([d, b, c, a]);
    expect(list.replaced()).toEqual([[0, a]]);
    expect(list.toArray()).toEqual([d, b, c, a]);
    expect(given).toEqual([a, b]);
  });

  test("is the given array if nothing changed, and a new one if one message did", () => {
    const given = [a, b];
    expect(createList(given).toArray()).toBe(given);
    const list = createList(given);
    list.replace(1, c);
    expect(list.toArray()).toEqual([a, c]);
    expect(given).toEqual([a, b]);
  });

  test("begins empty", () => {
    const list = createList([]);
    expect([list.length, list.toArray(), list.push(a), list.toArray()]).toEqual([0, [a], 0, [a]]);
    expect(list.replaced()).toEqual([]);
  });
});
