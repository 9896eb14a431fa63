import { ContinuoError } from "@continuo/core/model";
import { describe, expect, test } from "vitest";
import { type Cascade, type CascadeStep, runCascade } from "./cascade.ts";

const done = (step: string): CascadeStep<string> => ({ step, offered: true, run: async () => `by ${step}` });
const missing = (step: string): CascadeStep<string> => ({ ...done(step), offered: false });
const failing = (step: string, error: Error = new Error("no")): CascadeStep<string> => ({
  ...done(step),
  run: () => Promise.reject(error),
});
const cascade = (
  steps: readonly CascadeStep<string>[],
  more: Partial<Cascade<string>> = {},
): Cascade<string> => ({
  agent: "Agent",
  sessionId: "s1",
  steps,
  onMissing: "error",
  replay: async () => "replayed",
  begin: async () => "begun",
  ...more,
});

describe("the cascade", () => {
  test("takes the first way that works, and reports each one that was tried", async () => {
    expect(
      await runCascade(cascade([missing("load"), failing("resume"), done("other"), done("last")])),
    ).toEqual({
      value: "by other",
      happened: "native",
      steps: [
        { step: "load", outcome: "not offered" },
        { step: "resume", outcome: "failed", reason: "no" },
        { step: "other", outcome: "done" },
        { step: "last", outcome: "skipped" },
      ],
    });
  });

  test.each([
    ["replay", "replayed"],
    ["new", "begun"],
  ] as const)("does what the caller chose where nothing leads there: %s", async (onMissing, value) => {
    expect(await runCascade(cascade([failing("load"), missing("resume")], { onMissing }))).toEqual({
      value,
      happened: onMissing,
      reason: "Agent could not resume s1: no",
      steps: [
        { step: "load", outcome: "failed", reason: "no" },
        { step: "resume", outcome: "not offered" },
        { step: onMissing, outcome: "done" },
      ],
    });
  });

  const gone = new ContinuoError("not_found", "gone");
  test.each([
    ["one that cannot be resumed", [failing("load", gone), failing("resume")], {}, "native_unavailable"],
    ["one that no way leads to", [missing("load")], {}, "native_unavailable"],
    ["one that is not there", [failing("load", gone), missing("resume")], {}, "not_found"],
    ["one of which nothing is on disk", [failing("load")], { isAbsent: true }, "not_found"],
    ["one that no way leads to, wherever it is", [missing("load")], { isAbsent: true }, "native_unavailable"],
    [
      "one of which nothing can be replayed",
      [missing("load")],
      { onMissing: "replay", replay: () => Promise.reject(gone) },
      "not_found",
    ],
  ] as const)("refuses %s, with its steps", async (_, steps, more, code) => {
    const error = await runCascade(cascade(steps, more)).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code, details: { steps: expect.any(Array) } });
  });

  test("stops at once when its signal is aborted, and if the agent is not installed", async () => {
    const stop = AbortSignal.abort(new Error("stop"));
    await expect(runCascade(cascade([done("load")], { signal: stop }))).rejects.toThrow("stop");
    const absent = new ContinuoError("agent_missing", "absent");
    const run = runCascade(cascade([failing("load", absent)], { onMissing: "new" }));
    await expect(run).rejects.toBe(absent);
  });
});
