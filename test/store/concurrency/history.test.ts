/** The checker itself: it accepts a store that is right, and finds each way in which a store can be wrong. */

import { describe, expect, test } from "vitest";
import { isContinuoError, type Store } from "../../../src/model/index.ts";
import { openStore } from "../../../src/store/index.ts";
import { type Operation, violationsOf } from "./history.ts";

type Append = Store["append"];

/** Ways to be wrong, each a wrapper around `append` of a right store. */
const DEFECTS: Readonly<Record<string, (store: Store) => Append>> = {
  "ignores the expected sequence":
    (store) =>
    (logId, events, { expectedSequence: _, ...options } = {}) =>
      store.append(logId, events, options),
  "stores a repetition again":
    (store) =>
    (logId, events, { expectedSequence: _, ...options } = {}) =>
      store.append(
        logId,
        events.map(({ id: _id, ...event }) => event),
        options,
      ),
  "ignores the fencing token":
    (store) =>
    (logId, events, { lease: _, ...options } = {}) =>
      store.append(logId, events, options),
  "answers before it stores": (store) => {
    const later: (() => Promise<unknown>)[] = [];
    return async (logId, events, options) => {
      const head = await store.latestSequence(logId);
      for (const stored of later.splice(0)) await stored();
      later.push(() => store.append(logId, events, options).catch(() => undefined));
      return [{ sequence: head + 1 } as never];
    };
  },
  "tells an old head in its refusals": (store) => async (logId, events, options) => {
    try {
      return await store.append(logId, events, options);
    } catch (error) {
      if (isContinuoError(error, "conflict")) {
        Object.assign(error.details, {
          latestSequence: Math.max(0, Number(error.details.latestSequence) - 3),
        });
      }
      throw error;
    }
  },
};

async function historyOf(store: Store, append: Append): Promise<readonly Operation[]> {
  const { logId } = await store.createLog();
  const history: Operation[] = [];
  let clock = 0;
  const now = (): number => ++clock;
  let made = 0;
  const data = { name: "h" };
  const client = async (name: string): Promise<void> => {
    let head = 0;
    let token = 0;
    for (let n = 0; n < 40; n++) {
      if (token === 0 || n % 7 === 0) {
        const start = now();
        const lease = await store
          .acquireLease("l", { owner: `${name}${n}`, ttlMs: 1 })
          .catch(() => undefined);
        if (lease !== undefined) {
          token = lease.token;
          history.push({ type: "acquire", start, end: now(), token });
        }
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      const id = `${name}/${made++}`;
      const expected = head;
      for (let again = 0; again < 2; again++) {
        const start = now();
        try {
          const lease = { name: "l", token };
          const [stored] = await append(logId, [{ id, type: "custom", data }], {
            expectedSequence: expected,
            lease,
          });
          head = stored?.sequence ?? 0;
          history.push({ type: "append", id, expected, start, end: now(), sequence: head, token });
        } catch (error) {
          if (isContinuoError(error, "conflict")) {
            head = Number(error.details.latestSequence);
            history.push({ type: "conflict", id, expected, start, end: now(), latest: head });
          } else if (isContinuoError(error, "fenced")) {
            history.push({ type: "fenced", start, end: now(), token, latest: Number(error.details.token) });
            token = 0;
          } else throw error;
          break;
        }
      }
    }
  };
  await Promise.all(["a", "b", "c"].map(client));
  return history;
}

describe("the checker of histories", () => {
  test("accepts the history of a store that is right", async () => {
    await using store = await openStore("memory:");
    const history = await historyOf(store, store.append);
    expect(new Set(history.map((operation) => operation.type)).size).toBe(4);
    expect(violationsOf(history)).toEqual([]);
  });

  for (const [defect, broken] of Object.entries(DEFECTS)) {
    test(`finds a store that ${defect}`, async () => {
      await using store = await openStore("memory:");
      expect(violationsOf(await historyOf(store, broken(store)))).not.toEqual([]);
    });
  }

  test("finds an append that is seen before an earlier one that had ended", () => {
    const history: readonly Operation[] = [
      { type: "append", id: "a", sequence: 2, expected: 1, start: 1, end: 2 },
      { type: "append", id: "b", sequence: 1, expected: 0, start: 3, end: 4 },
    ];
    expect(violationsOf(history)).toEqual(["The append of 2 took effect after it had ended."]);
  });

  test("finds a refusal that told the head of another time", () => {
    const history: readonly Operation[] = [
      { type: "append", id: "a", sequence: 1, expected: 0, start: 1, end: 2 },
      { type: "append", id: "b", sequence: 2, expected: 1, start: 3, end: 4 },
      { type: "conflict", id: "c", expected: 0, latest: 1, start: 5, end: 6 },
    ];
    expect(violationsOf(history)).not.toEqual([]);
  });

  test("accepts overlapping calls in any order that explains them", () => {
    const history: readonly Operation[] = [
      { type: "append", id: "b", sequence: 2, expected: 1, start: 1, end: 10 },
      { type: "append", id: "a", sequence: 1, expected: 0, start: 5, end: 6 },
      { type: "conflict", id: "c", expected: 0, latest: 1, start: 2, end: 8 },
    ];
    expect(violationsOf(history)).toEqual([]);
  });
});
