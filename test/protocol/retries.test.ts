/**
 * Agents that repeat requests to their model, shown by records of the real agents after a model server answered 529.
 */

import type { AgentEvent } from "@continuo/core/model";
import { expect, test } from "vitest";
import { createClaudeFold, foldLine } from "../../packages/agents/src/drivers/claude/fold.ts";
import { createCodexFold, foldNotification } from "../../packages/agents/src/drivers/codex/fold.ts";
import { createPiFold, foldRecord } from "../../packages/agents/src/drivers/pi/fold.ts";

const said = (events: readonly AgentEvent[]) =>
  events.map((event) => [event.type, "message" in event ? event.message : ""]);

test("Claude Code reports the error, the wait and the number of the next attempt (2.1.330)", () => {
  const line = {
    type: "system",
    subtype: "api_retry",
    attempt: 1,
    max_retries: 10,
    retry_delay_ms: 569,
    error_status: 529,
    error: "overloaded",
  };
  expect(said(foldLine(createClaudeFold(), line))).toEqual([
    ["error", "529 overloaded; tries again in 0.6 s (attempt 1 of 10)"],
  ]);
  const bare = { type: "system", subtype: "api_retry", retry_delay_ms: 31_200, error_status: null };
  expect(said(foldLine(createClaudeFold(), bare))).toEqual([
    ["error", "the model did not answer; tries again in 31 s"],
  ]);
});

test("Codex reports the status, which its message leaves out, and the number of the next attempt (0.169.0)", () => {
  const error = {
    message: "Reconnecting... 2/5",
    codexErrorInfo: { responseStreamDisconnected: { httpStatusCode: 529 } },
    additionalDetails:
      "unexpected status 529 <unknown status code>: no, url: http://127.0.0.1:1/v1/responses",
  };
  const told = (more: object) =>
    said(foldNotification(createCodexFold("t"), "error", { error: { ...error, ...more }, willRetry: true }));
  expect(told({})).toEqual([["error", "the model answered 529; tries again (attempt 2 of 5)"]]);
  expect(told({ codexErrorInfo: null, additionalDetails: "stream closed" })).toEqual([
    ["error", "stream closed; tries again (attempt 2 of 5)"],
  ]);
  expect(told({ message: "Something else." })).toEqual([["error", "Something else."]]);
});

test("pi reports its message, the wait and the number of the next attempt (1.5.2)", () => {
  const record = {
    type: "auto_retry_start",
    attempt: 1,
    maxAttempts: 3,
    delayMs: 2000,
    errorMessage: "529 overloaded",
  };
  expect(said(foldRecord(createPiFold("p"), record))).toEqual([
    ["error", "529 overloaded; tries again in 2.0 s (attempt 1 of 3)"],
  ]);
});
