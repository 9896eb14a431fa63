/** The error of a turn that failed: what a person can do about it. */

import { ContinuoError, type ErrorParts } from "@continuo/core/model";
import { expect, test } from "vitest";
import { errorOf } from "./turn-summary.ts";

const { signal } = new AbortController();
const LOG_IN = "Start robot once by itself, and log in.";

/** The error of a turn that failed with this stored error, of which the agent threw the cause. */
function failed(
  error: { readonly code: string; readonly details?: ErrorParts["details"] },
  cause?: unknown,
): ContinuoError | null {
  const result = { status: "failed", messages: [], error: { message: "it failed", ...error }, cause };
  return errorOf(result as unknown as Parameters<typeof errorOf>[0], signal);
}

test("a turn that failed has the hint of the agent's own error, if that is the error of the run", () => {
  const cause = new ContinuoError("agent_failed", "it failed", { hint: LOG_IN });
  expect(failed({ code: "agent_failed" }, cause)).toMatchObject({ code: "agent_failed", hint: LOG_IN });
  expect(failed({ code: "quota_exceeded" }, cause)).toMatchObject({ code: "agent_failed", hint: LOG_IN });
  const missing = new ContinuoError("agent_missing", "it failed", { hint: "Install robot." });
  expect(failed({ code: "agent_missing" }, missing)?.hint).toBe("Install robot.");
  expect(failed({ code: "session_live" }, missing)?.hint).toContain("--fork ID");
});

test("a turn that failed without a hint has one for its code, and the last words of the program come first", () => {
  expect(failed({ code: "agent_missing" })?.hint).toContain("continuo agents");
  expect(failed({ code: "agent_failed" })?.hint).toBeUndefined();
  const cause = new ContinuoError("agent_failed", "it failed", { hint: LOG_IN });
  const said = failed({ code: "agent_failed", details: { stderr: "no memory" } }, cause);
  expect(said?.hint).toBe("Read what it printed: no memory");
});
