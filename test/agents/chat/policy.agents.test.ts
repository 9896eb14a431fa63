/**
 * `continuo chat` with the agents that never ask for permission by themselves: the permission policy applies to one
 * start of the agent, and is not stored in the session.
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Script, type Step, text, tool } from "../../model-servers/index.ts";
import { type Stage, sessionIn, stage } from "./stage.ts";

const CALLS = { "Try it.": "tried.txt", "Do it.": "done.txt" };

function scriptOf(argumentsOf: (command: string) => Record<string, string>): Script {
  return {
    turns: Object.entries(CALLS).map(([user, path]) => ({
      user,
      answers: [
        [{ ...tool("bash", argumentsOf(`touch ${path}`)), insists: true } as Step],
        [text("That is it.")],
      ],
    })),
  };
}

function madeIn({ sandbox }: Stage): readonly string[] {
  return Object.values(CALLS).filter((name) => existsSync(join(sandbox.project, name)));
}

test.each([
  ["pi", (command: string) => ({ command })],
  ["opencode", (command: string) => ({ command, description: "Makes a file" })],
] as const)(
  "%s runs no command if no person can be asked, and runs commands with --permissions unrestricted",
  async (agent, argumentsOf) => {
    await using on = await stage([agent], scriptOf(argumentsOf));
    const asked = await on.continuo("chat", "Try it.");
    expect(asked.code, asked.stderr).toBe(0);
    expect(madeIn(on)).toEqual([]);
    const session = sessionIn(asked.stderr);
    const free = await on.continuo("chat", "--permissions", "unrestricted", "--resume", session, "Do it.");
    expect(free.code, free.stderr).toBe(0);
    expect(madeIn(on)).toEqual(["done.txt"]);
  },
);

test("pi runs no command with --permissions safe, and runs one in the same session with unrestricted", async () => {
  await using on = await stage(
    ["pi"],
    scriptOf((command) => ({ command })),
  );
  const held = await on.continuo("chat", "--permissions", "safe", "Try it.");
  expect(held.code, held.stderr).toBe(0);
  const session = sessionIn(held.stderr);
  const free = await on.continuo("chat", "--permissions", "unrestricted", "--resume", session, "Do it.");
  expect(free.code, free.stderr).toBe(0);
  expect(madeIn(on)).toEqual(["done.txt"]);
});
