/** The fold of a session's log: the batches that it owes to the note writer, and the cost that it counts. */

import type { StoredEvent } from "@continuo/core/model";
import { expect, test } from "vitest";
import { LIMITS } from "../kit/index.ts";
import { addEvent, emptyFold, type LiveFold } from "./fold.ts";

type Given = Pick<StoredEvent, "type" | "data"> & { readonly by?: "agent" | "person" };

/** The fold of events, the first of which has the sequence 1. */
function foldOf(events: readonly Given[]): LiveFold {
  const fold = emptyFold("0".repeat(64));
  for (const [at, { by = "agent", ...given }] of events.entries()) {
    const event = { id: `e${at}`, sequence: at + 1, chainHash: String(at), actor: { kind: by }, ...given };
    addEvent(fold, { ...event, occurredAt: "2026-01-01T00:00:00Z" } as unknown as StoredEvent);
  }
  return fold;
}

const STOOD_IN = { standsInFor: "it does not answer", sequences: [1], lane: "all" };
const owedIn = (decisions: readonly object[]): readonly number[] =>
  foldOf(decisions.map((data) => ({ type: "decision_made", data }))).owed.map(({ sequence }) => sequence);

test("the batches that a stand-in wrote are owed in their order until they are written again", () => {
  expect(owedIn([STOOD_IN, { writer: "own", sequences: [2] }, STOOD_IN])).toEqual([1, 3]);
  expect(owedIn([STOOD_IN, STOOD_IN, STOOD_IN, { writer: "own", redoes: [1, 2] }])).toEqual([3]);
  expect(owedIn([{ ...STOOD_IN, sequences: [] }])).toEqual([]);
});

test("of more owed batches than are kept, the oldest are forgotten", () => {
  const owed = owedIn(Array.from({ length: LIMITS.owedBatches + 2 }, () => STOOD_IN));
  expect([owed.length, owed[0], owed.at(-1)]).toEqual([LIMITS.owedBatches, 3, LIMITS.owedBatches + 2]);
});

test("only the telemetry of the agent itself counts as cost, whatever a client reports", () => {
  const value = { modelCalls: 1, inputTokens: 10, outputTokens: 2, costUsd: 0.5 };
  const told = { type: "telemetry_reported", data: { name: "ask", value } } as const;
  expect(foldOf([told, { ...told, by: "person" }]).cost).toEqual(value);
});
