import { expect, test } from "vitest";
import { eventsOf, newUpdateState } from "./updates.ts";

const CASES: readonly (readonly [update: Record<string, unknown>, type: string, message: string])[] = [
  [{ sessionUpdate: "notice", severity: "info", title: "Indexed" }, "diagnostics", "Indexed"],
  [
    { sessionUpdate: "notice", severity: "warning", title: "Slow", description: "The model is busy" },
    "diagnostics",
    "Slow: The model is busy",
  ],
  [{ sessionUpdate: "notice", severity: "error", title: "No quota", description: null }, "error", "No quota"],
  [
    { sessionUpdate: "compaction_update", compactionId: "c", status: "in_progress" },
    "diagnostics",
    "The agent sums up the conversation.",
  ],
  [
    { sessionUpdate: "compaction_update", compactionId: "c", status: "completed", summary: [] },
    "diagnostics",
    "The agent summed up the conversation.",
  ],
  [
    { sessionUpdate: "compaction_update", compactionId: "c", status: "failed", error: "too long" },
    "diagnostics",
    "The agent could not sum up the conversation: too long",
  ],
  [
    {
      sessionUpdate: "subagent_update",
      sessionId: "child-1",
      title: "Reviewer",
      state: { state: "running" },
    },
    "diagnostics",
    'Sub-agent "Reviewer" runs.',
  ],
  [
    { sessionUpdate: "subagent_update", sessionId: "child-1", state: { state: "requires_action" } },
    "diagnostics",
    'Sub-agent "child-1" waits for an answer.',
  ],
  [{ sessionUpdate: "subagent_update", sessionId: "child-1" }, "diagnostics", 'Sub-agent "child-1".'],
];

test.each(CASES)("%j is a report", (update, type, message) => {
  expect(eventsOf(update, newUpdateState())).toEqual([{ type, message, details: update }]);
});
