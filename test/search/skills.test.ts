/** A skill that the person calls in pi is part of their message, but does not count as their words. */

import { cpSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { createHome, type Home } from "../cli/home.ts";
import { runHere } from "../cli/in-process.ts";

const ID = "01997c1e-5b00-7a11-8c22-9d33ae44bf55";

let home: Home;
beforeEach(() => {
  home = createHome();
  const fixture = join(import.meta.dirname, "../fixtures/pi/skills/home");
  cpSync(fixture, join(home.path, ".pi/agent"), { recursive: true });
});

async function count(...words: readonly string[]): Promise<number> {
  return JSON.parse((await runHere(home, ["search", "--json", ...words])).stdout).total;
}

test("a search finds the text of a skill only among injected texts, and what the person typed after it as theirs", async () => {
  expect(await count("boil")).toBe(0);
  expect(await count("role:user", "boil")).toBe(0);
  expect(await count("boil", "--injected")).toBe(1);
  expect(await count("role:user", "twice")).toBe(1);
  // The second round uses the index, and finds the same as the files.
  for (let round = 0; round < 2; round++) {
    expect(await count("role:user", '"/skill:brew twice"')).toBe(1);
    expect(await count("role:user", "brew")).toBe(1);
  }
  expect(await count("role:system", "twice")).toBe(0);
});

test("a session shows a skill as the person called it, and its text with --injected", async () => {
  const { stdout } = await runHere(home, ["session", "show", ID]);
  expect(stdout).toContain("/skill:brew twice");
  expect(stdout).not.toContain("Boil the water first.");
  const whole = await runHere(home, ["session", "show", ID, "--injected"]);
  expect(whole.stdout).toContain("Boil the water first.");
});

test("a hand-over keeps the text of a skill, byte for byte", async () => {
  const args = ["handoff", ID, "--to", "codex", "--cwd", home.path];
  expect(await runHere(home, args)).toMatchObject({ code: 0 });
  const { stdout } = await runHere(home, ["session", "export", "last:codex", "--format", "json"]);
  expect(stdout).toContain("Boil the water first.\\n</skill>\\n\\ntwice");
});
