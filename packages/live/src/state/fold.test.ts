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

const said = (data: object = {}): Given => ({ type: "transcript_added", data: { text: "x", ...data } });
const pendingIn = ({ pending }: LiveFold): readonly number[] => [...pending.keys()];

test("evidence is pending until a decision names it, or it was dropped", () => {
  const decided = { type: "decision_made", data: { sequences: [1] } };
  const dropped = { type: "evidence_dropped", data: { sequences: [2] } };
  expect(pendingIn(foldOf([said(), said(), said(), decided, dropped]))).toEqual([3]);
});

test("a note of the agent is no input, and one that a person changed is", () => {
  const changed = { type: "note_updated", data: { noteId: "n" } } as const;
  expect(pendingIn(foldOf([changed, { ...changed, by: "person" }]))).toEqual([2]);
});

test("an event that only restates the state of its writer does not undo a change that was stored in between", () => {
  const state = (from: string, to: string): Given => {
    return { type: "session_state_changed", data: { from, state: to, level: "warning" } };
  };
  const fold = foldOf([state("created", "active"), state("active", "idle"), state("active", "active")]);
  expect([fold.state, fold.stateSequence, fold.level]).toEqual(["idle", 2, "warning"]);
});

test.each(["closed", "abandoned"])("a session that is %s has an end", (state) => {
  expect(foldOf([{ type: "session_state_changed", data: { from: "idle", state } }]).closedAtMs).toBe(
    Date.parse("2026-01-01T00:00:00Z"),
  );
});

test("each writer has a memory of its own, which no other writer receives", () => {
  const own = { type: "decision_made", data: { writer: "own", memory: "of own" } };
  const standIn = { type: "decision_made", data: { ...STOOD_IN, writer: "other", memory: "of stand-in" } };
  const both = foldOf([own, standIn]);
  expect([both.memory, both.standIn?.memory]).toEqual(["of own", "of stand-in"]);
  const chosen = foldOf([own, standIn, { type: "note_writer_chosen", data: { noteWriter: "third" } }]);
  expect([chosen.memory, chosen.standIn, chosen.noteWriter]).toEqual([null, null, "third"]);
});

test("input between a snapshot and the record of its checkpoint counts for the next checkpoint", () => {
  const record = { type: "checkpoint_written", data: { cursor: 1 } };
  const fold = foldOf([said(), said(), record, said()]);
  expect([fold.eventsSinceCheckpoint, fold.checkpoint?.cursor]).toEqual([2, 1]);
});

test("a question to a person ends with the decision on its answer, and with one that names it", () => {
  const asked = (requestId: string): Given => ({ type: "context_requested", data: { requestId } });
  const answered = { type: "remark_added", data: { text: "yes", requestId: "a" }, by: "person" } as const;
  const decided = (data: object): Given => ({ type: "decision_made", data });
  const open = (...later: Given[]) =>
    [...foldOf([asked("a"), asked("b"), asked("c"), answered, ...later]).requests.keys()].join();
  expect([open(), open(decided({ sequences: [4] })), open(decided({ requests: ["b"] }))]).toEqual([
    "a,b,c",
    "b,c",
    "a,c",
  ]);
});
