/** What a reader is shown of a run that did not end well. */

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
