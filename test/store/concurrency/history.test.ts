/** The checker itself: it accepts a correct store, and finds each way in which a store can be wrong. */

import { openStore } from "@continuo/store";
import { describe, expect, test } from "vitest";
import { createRandom } from "../harness/random.ts";
import { DEFECTS } from "./defects.ts";
import { type Operation, violationsOf } from "./history.ts";
import { recordHistory } from "./record-history.ts";

describe("the checker of histories", () => {
  test.each([1, 2, 3])("accepts the history of a correct store (seed %i)", async (seed) => {
    await using store = await openStore("memory:");
    const history = await recordHistory(store, store, createRandom(seed));
    expect(new Set(history.map((operation) => operation.type)).size).toBe(8);
    expect(violationsOf(history)).toEqual([]);
  });

  test("knows at least 20 defects", () => {
    expect(Object.keys(DEFECTS).length).toBeGreaterThanOrEqual(20);
  });

  test.each(Object.entries(DEFECTS))("finds a store that %s", async (_defect, broken) => {
    await using store = await openStore("memory:");
    const history = await recordHistory(store, { ...store, ...broken(store) }, createRandom(1));
    expect(violationsOf(history)).not.toEqual([]);
  });

  test("finds an append that takes effect before another one that had already ended", () => {
    const history: readonly Operation[] = [
      { type: "append", id: "a", sequence: 2, expected: 1, start: 1, end: 2 },
      { type: "append", id: "b", sequence: 1, expected: 0, start: 3, end: 4 },
    ];
    expect(violationsOf(history)).toEqual(["The append of 2 took effect after it had ended."]);
  });

  test("finds a refusal that reports the head of another time", () => {
    const history: readonly Operation[] = [
      { type: "append", id: "a", sequence: 1, expected: 0, start: 1, end: 2 },
      { type: "append", id: "b", sequence: 2, expected: 1, start: 3, end: 4 },
      { type: "conflict", id: "c", expected: 0, latest: 1, start: 5, end: 6 },
    ];
    expect(violationsOf(history)).not.toEqual([]);
  });

  test("finds a read that returns the previous head after a newer one was stored", () => {
    const history: readonly Operation[] = [
      { type: "append", id: "a", sequence: 1, start: 1, end: 2 },
      { type: "append", id: "b", sequence: 2, start: 3, end: 4 },
      { type: "page", after: 0, events: [{ sequence: 1, id: "a", chain: "" }], start: 5, end: 6 },
    ];
    expect(violationsOf(history)).not.toEqual([]);
  });

  test("finds a read that returns an older state than an earlier read", () => {
    const history: readonly Operation[] = [
      { type: "append", id: "a", sequence: 1, start: 1, end: 10 },
      { type: "head", latest: 1, chain: "x", start: 2, end: 3 },
      { type: "head", latest: 0, chain: "0", start: 4, end: 5 },
    ];
    expect(violationsOf(history)).not.toEqual([]);
  });

  test("finds an event in a tail before anybody appended it", () => {
    const history: readonly Operation[] = [
      { type: "append", id: "a", sequence: 1, start: 5, end: 6 },
      { type: "tail", events: [{ sequence: 1, id: "a", chain: "", at: 3 }] },
    ];
    expect(violationsOf(history)).toEqual(["a was there before anybody appended it."]);
  });

  test("accepts overlapping calls if any order explains their results", () => {
    const history: readonly Operation[] = [
      { type: "append", id: "b", sequence: 2, expected: 1, start: 1, end: 10 },
      { type: "append", id: "a", sequence: 1, expected: 0, start: 5, end: 6 },
      { type: "conflict", id: "c", expected: 0, latest: 1, start: 2, end: 8 },
    ];
    expect(violationsOf(history)).toEqual([]);
  });

  test("accepts a call without an answer that took effect late, or never", () => {
    const late: readonly Operation[] = [
      { type: "unknown", id: "a", start: 1 },
      { type: "head", latest: 0, chain: "0", start: 2, end: 3 },
      { type: "page", after: 0, events: [{ sequence: 1, id: "a", chain: "" }], start: 4, end: 5 },
    ];
    expect(violationsOf(late)).toEqual([]);
    expect(violationsOf(late.slice(0, 2))).toEqual([]);
  });

  test("finds a call without an answer whose effect was visible and then disappeared", () => {
    const history: readonly Operation[] = [
      { type: "unknown", id: "a", start: 1 },
      { type: "page", after: 0, events: [{ sequence: 1, id: "a", chain: "" }], start: 2, end: 3 },
      { type: "page", after: 0, events: [], start: 4, end: 5 },
    ];
    expect(violationsOf(history)).not.toEqual([]);
  });
});
