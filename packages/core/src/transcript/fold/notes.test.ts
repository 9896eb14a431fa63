/** These tests cover the notes that a reader sees after a run that did not end well. */

import { expect, test } from "vitest";
import { fromEvents } from "../builder/index.ts";

test.each([
  [
    "budget_exceeded",
    { limit: "tokens", value: 12, allowed: 10 },
    "The budget of the run was used up: tokens (12 of 10).",
  ],
  ["budget_exceeded", { limit: "tokens", value: 12 }, "The budget of the run was used up: tokens."],
  ["budget_exceeded", {}, "The budget of the run was used up: unknown limit."],
  ["run_failed", { error: { message: "no network" } }, "The run failed: no network"],
  ["run_failed", {}, "The run failed."],
  ["run_cancelled", { reason: "by Ann" }, "The run was cancelled: by Ann"],
  ["run_timed_out", { timeoutMs: 500 }, "The run took longer than it was allowed to (500 ms)."],
  ["run_timed_out", {}, "The run took longer than it was allowed to."],
  [
    "run_interrupted",
    { reason: "the process is gone" },
    "The run was interrupted before it ended: the process is gone",
  ],
  ["error_raised", { message: "disk full" }, "An error occurred: disk full"],
  ["error_raised", { message: "" }, "An error occurred."],
])("%s of %j is shown as a sentence", (type, data, sentence) => {
  const { messages } = fromEvents([{ type, sequence: 1, runId: "r", data }]);
  expect(messages.map(({ content }) => content)).toEqual([[{ type: "text", text: `[${sentence}]` }]]);
});

test("a note is a message of its own that no person said", () => {
  const event = { type: "error_raised", sequence: 3, runId: "r", data: { message: "disk full" } };
  const note = {
    id: "event-3",
    role: "user",
    origin: "injected",
    content: [{ type: "text", text: "[An error occurred: disk full]" }],
    metadata: { events: 1, sequence: 3, lastSequence: 3, runId: "r", note: "error_raised" },
  };
  expect(fromEvents([event]).messages).toStrictEqual([note]);
  expect(fromEvents([{ ...event, timestamp: "10:00" }]).messages).toStrictEqual([
    { ...note, timestamp: "10:00" },
  ]);
});

test.each([
  [{ code: "native_unavailable", message: "no agent" }, 0],
  [{ code: "other", message: "no agent" }, 1],
  ["native_unavailable", 1],
  [undefined, 1],
])("a run that failed with the error %j leaves %i notes", (error, notes) => {
  const { messages, metadata } = fromEvents([{ type: "run_failed", sequence: 1, data: { error } }]);
  expect(messages).toHaveLength(notes);
  expect(metadata.lastRun).toStrictEqual({ status: "failed" });
});

test("a run that completed leaves no note, and is the last run until another one ends", () => {
  const events = [
    { type: "run_failed", sequence: 1, runId: "q", data: {} },
    { type: "run_completed", sequence: 2, runId: "q", data: { runId: "r" } },
  ];
  const { messages, metadata } = fromEvents(events);
  expect(messages.map(({ id }) => id)).toEqual(["event-1"]);
  expect(metadata.lastRun).toStrictEqual({ runId: "r", status: "completed" });
  expect(fromEvents(events.slice(0, 1)).metadata.lastRun).toStrictEqual({ runId: "q", status: "failed" });
});
