/** The batches that the fold of a session's log keeps for its own note writer. */

import type { StoredEvent } from "@continuo/core/model";
import { expect, test } from "vitest";
import { LIMITS } from "../kit/index.ts";
import { addEvent, emptyFold, type LiveFold } from "./fold.ts";

/** The fold of decisions, the first of which has the sequence 1. */
function foldOf(decisions: readonly object[]): LiveFold {
  const fold = emptyFold("0".repeat(64));
  for (const [at, data] of decisions.entries()) {
    const event = { id: `d${at}`, type: "decision_made", sequence: at + 1, data, chainHash: String(at) };
    const actor = { kind: "agent" };
    addEvent(fold, { ...event, actor, occurredAt: "2026-01-01T00:00:00Z" } as unknown as StoredEvent);
  }
  return fold;
}

const STOOD_IN = { standsInFor: "it does not answer", sequences: [1], lane: "all" };
const owedIn = (decisions: readonly object[]): readonly number[] =>
  foldOf(decisions).owed.map(({ sequence }) => sequence);

test("the batches that a stand-in wrote are owed in their order until they are written again", () => {
  expect(owedIn([STOOD_IN, { writer: "own", sequences: [2] }, STOOD_IN])).toEqual([1, 3]);
  expect(owedIn([STOOD_IN, STOOD_IN, STOOD_IN, { writer: "own", redoes: [1, 2] }])).toEqual([3]);
  expect(owedIn([{ ...STOOD_IN, sequences: [] }])).toEqual([]);
});

test("of more owed batches than are kept, the oldest are forgotten", () => {
  const owed = owedIn(Array.from({ length: LIMITS.owedBatches + 2 }, () => STOOD_IN));
  expect([owed.length, owed[0], owed.at(-1)]).toEqual([LIMITS.owedBatches, 3, LIMITS.owedBatches + 2]);
});
