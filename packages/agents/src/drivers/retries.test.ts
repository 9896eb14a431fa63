/** A retry of a request to a model is reported in the same words for every agent. */

import type { AgentEvent } from "@continuo/core/model";
import { expect, test } from "vitest";
import { createClaudeFold, foldLine } from "./claude/fold.ts";
import { createCodexFold, foldNotification } from "./codex/fold.ts";
import { createPiFold, foldRecord } from "./pi/fold.ts";

const told = (events: readonly AgentEvent[]): readonly string[] =>
  events.map((event) => (event.type === "error" ? event.message : event.type));

test.each([
  [
    { attempt: 1, max_retries: 10, retry_delay_ms: 600, error_status: 529, error: "overloaded" },
    "529 overloaded",
  ],
  [{ attempt: 1, max_retries: 10, retry_delay_ms: 600, error_status: null }, "the model did not answer"],
])("Claude Code: %j", (fields, why) => {
  const line = { type: "system", subtype: "api_retry", ...fields };
  expect(told(foldLine(createClaudeFold(), line))).toEqual([
    `${why}; tries again in 0.6 s (attempt 1 of 10)`,
  ]);
});

test.each([
  [{ httpStatusCode: 529 }, "the model answered 529"],
  [{ httpStatusCode: null }, "the stream was cut"],
])("Codex: %j", (cause, why) => {
  const error = {
    message: "Reconnecting... 2/5",
    additionalDetails: "the stream was cut",
    codexErrorInfo: { responseStreamDisconnected: cause },
  };
  const params = { threadId: "t", willRetry: true, error };
  expect(told(foldNotification(createCodexFold("t"), "error", params))).toEqual([
    `${why}; tries again (attempt 2 of 5)`,
  ]);
  // The end of the turn itself reports this error.
  expect(foldNotification(createCodexFold("t"), "error", { ...params, willRetry: false })).toEqual([]);
});

test("pi: a retry names its reason, the time and the attempt", () => {
  const record = {
    type: "auto_retry_start",
    attempt: 1,
    maxAttempts: 3,
    delayMs: 12_000,
    errorMessage: "429",
  };
  expect(told(foldRecord(createPiFold("p"), record))).toEqual(["429; tries again in 12 s (attempt 1 of 3)"]);
});
