import { expect, test } from "vitest";
import { type EndStatus, isTrusted, runEnd } from "./ends.ts";

const FACTS = {
  result: { stopReason: "end_turn" },
  error: { code: "agent_failed", message: "no" },
  reason: "enough",
  timeoutMs: 50,
  usage: { inputTokens: 3, outputTokens: 4 },
};
const { result, error, reason, timeoutMs, usage } = FACTS;

test.each([
  ["completed", "run_completed", { result, usage }],
  ["failed", "run_failed", { error, usage }],
  ["cancelled", "run_cancelled", { reason, usage }],
  ["timeout", "run_timed_out", { timeoutMs, usage }],
  ["interrupted", "run_interrupted", { reason }],
] as const)("a run that is %s ends with %s and the data of that end", (status, type, told) => {
  expect(runEnd("r1", status, FACTS, { native: null })).toEqual({
    status,
    entry: { type, data: { runId: "r1", ...told }, by: "system" },
    write: { type: "run", runId: "r1", to: status, patch: { result, error, metadata: { native: null } } },
  });
  expect(runEnd("r1", status, {})).toEqual({
    status,
    entry: { type, data: { runId: "r1" }, by: "system" },
    write: { type: "run", runId: "r1", to: status, patch: {} },
  });
});

test.each<[EndStatus, boolean, boolean]>([
  ["completed", true, true],
  ["failed", true, false],
  ["cancelled", true, false],
  ["timeout", true, false],
  ["interrupted", false, false],
])("the native session of a run that is %s is trusted: %s if heard, else %s", (status, heard, unheard) => {
  expect(isTrusted(status, { isHeard: true })).toBe(heard);
  expect(isTrusted(status, { isHeard: false })).toBe(unheard);
});
