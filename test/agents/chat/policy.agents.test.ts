/** `continuo chat --permissions` with a real agent that asks nobody: the policy reaches its start, and does not stay. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Step, text, tool } from "../../model-servers/index.ts";
import { sessionIn, stage } from "./stage.ts";

test("pi: --permissions safe writes nothing; the same session writes again without it", async () => {
  const calls = { "Try it.": "held.txt", "Do it.": "free.txt" };
  const turns = Object.entries(calls).map(([user, path]) => ({
    user,
    answers: [
      [{ ...tool("bash", { command: `touch ${path}` }), insists: true } as Step],
      [text("That is it.")],
    ],
  }));
  await using on = await stage(["pi"], { turns });
  const held = await on.continuo("chat", "--permissions", "safe", "Try it.");
  expect(held.code, held.stderr).toBe(0);
  const free = await on.continuo("chat", "--resume", sessionIn(held.stderr), "Do it.");
  expect(free.code, free.stderr).toBe(0);
  expect(Object.values(calls).filter((name) => existsSync(join(on.sandbox.project, name)))).toEqual([
    "free.txt",
  ]);
});
