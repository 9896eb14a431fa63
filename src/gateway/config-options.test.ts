/** The choices that an editor shows for a session. */

import { expect, test } from "vitest";
import { AGENT_OPTION, configOptionsOf, PERMISSIONS_OPTION } from "./config-options.ts";

test.each([
  ["codex", ["claude", "codex"], ["claude", "codex"]],
  // The agent was removed from the machine after it answered in the session.
  ["pi", ["claude", "codex"], ["pi", "claude", "codex"]],
  ["pi", [], ["pi"]],
] as const)(
  "the agent %s of a session is among its choices when %j are installed",
  (agent, agents, shown) => {
    const options = configOptionsOf({ agent, policy: "safe", agents });
    const ids = options.map(({ id, currentValue }) => [id, currentValue]);
    expect(ids).toEqual([
      [AGENT_OPTION, agent],
      [PERMISSIONS_OPTION, "safe"],
    ]);
    expect(valuesOf(options[0])).toEqual(shown);
    expect(valuesOf(options[1])).toContain("safe");
    // An editor shows an option at the place that it has for this category.
    expect(options.map(({ category }) => category)).toEqual(["model", "mode"]);
  },
);

function valuesOf(option: ReturnType<typeof configOptionsOf>[number] | undefined): readonly string[] {
  if (option?.type !== "select") return [];
  return option.options.flatMap((one) => ("value" in one ? [one.value] : []));
}
