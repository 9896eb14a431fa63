/** The rules of a continuous session that every reader of its log has in common. */

import { expect, test } from "vitest";
import type { WireEvent } from "./channel-events.ts";
import type { NoteChange, PreviousNote } from "./live-events.ts";
import { foldLive, type LiveChange, type LiveView, newLiveView } from "./live-fold.ts";

type View = LiveView<
  PreviousNote & NoteChange,
  { readonly requestId: string; readonly answer: number | null }
>;
type Given = readonly [type: string, data?: object | null, by?: "agent" | "person"];

function folded(...given: readonly Given[]): { readonly view: View; readonly changes: readonly unknown[] } {
  const view: View = newLiveView();
  const changes = given.map(([type, data = {}, by = "agent"], at): LiveChange<unknown> | null => {
    const event = { id: `e${at}`, sequence: at + 1, type, data, actor: { kind: by } };
    return foldLive(view, { ...event, occurredAt: "2026-01-01T00:00:00Z" } as unknown as WireEvent, {
      toNote: (change) => change,
      toRequest: ({ requestId }) => ({ requestId, answer: null }),
    });
  });
  return { view, changes };
}

test("an event of an unknown type and an event without its payload change nothing", () => {
  const { view, changes } = folded(
    ["moon_rose", { noteId: "n", state: "closed" }],
    ["transcript_added", null],
  );
  expect(changes).toEqual([null, null]);
  expect(view).toEqual(newLiveView());
});

test("a question is pending until a decision names it or decides on its answer", () => {
  const asked = ["a", "b", "c"].map((requestId): Given => ["context_requested", { requestId }]);
  const answer: Given = ["remark_added", { text: "yes", requestId: "a" }, "person"];
  const answers = (...later: readonly Given[]) =>
    [...folded(...asked, answer, ...later).view.requests.values()].map(({ requestId, answer }) => [
      requestId,
      answer,
    ]);
  expect(answers()).toEqual([
    ["a", 4],
    ["b", null],
    ["c", null],
  ]);
  expect(answers(["decision_made", { sequences: [4], requests: ["c"] }])).toEqual([["b", null]]);
});

test.each([
  ["transcript_added", "person", 2],
  ["remark_added", "person", 2],
  ["frame_captured", "person", 2],
  ["note_updated", "person", 2],
  ["note_updated", "agent", null],
  ["moon_rose", "person", null],
] as const)("%s by a %s is the answer %j to the question that it names", (type, by, answer) => {
  const { view } = folded(["context_requested", { requestId: "a" }], [type, { requestId: "a" }, by]);
  expect(view.requests.get("a")?.answer).toBe(answer);
});

test("a question without an id is reported, but no reader waits for its answer", () => {
  const { view, changes } = folded(["context_requested", { question: "Who?" }]);
  expect([view.requests.size, changes]).toMatchObject([
    0,
    [{ type: "question", question: { question: "Who?" } }],
  ]);
});

test("only a state that differs from the former one begins, and an unknown state is not taken over", () => {
  const changed = (from: string, state: string): Given => ["session_state_changed", { from, state }];
  const { view, changes } = folded(
    changed("created", "active"),
    changed("idle", "idle"),
    changed("x", "asleep"),
  );
  expect(changes).toMatchObject([{ entered: "active" }, { entered: null }, { entered: null }]);
  expect([view.state, view.stateSequence]).toEqual(["active", 1]);
});

test("levels, budgets and restarts are taken over if they are known", () => {
  const data = { level: "critical", budget: "spent", restart: true };
  const { view } = folded(
    ["session_state_changed", data],
    ["session_state_changed", { level: 1, budget: "x" }],
  );
  expect(view).toMatchObject({ level: "critical", budget: "spent", restarts: 1 });
});

test("notes are in the order of their newest change, and an archived note keeps its place", () => {
  const note = (type: string, noteId: string): Given => [type, { noteId }];
  const { view } = folded(
    ...["a", "b", "c"].map((noteId) => note("note_written", noteId)),
    note("note_updated", "a"),
    note("note_archived", "b"),
  );
  expect([...view.notes.keys()]).toEqual(["b", "c", "a"]);
});

test("a checkpoint without a cursor includes everything before it", () => {
  expect(folded(["moon_rose"], ["checkpoint_written"]).view.checkpoint?.cursor).toBe(1);
  expect(folded(["checkpoint_written", { cursor: 0 }]).view.checkpoint?.cursor).toBe(0);
});
