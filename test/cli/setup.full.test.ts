/** `continuo setup` on a terminal: one screen, and one question. */

import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createHome, type Home, MAIN } from "./home.ts";
import { openTerminal, type Terminal } from "./tmux.ts";

const SKILL = ".claude/skills/continuo/SKILL.md";
let home: Home;
let terminal: Terminal;

beforeEach(() => {
  home = createHome();
  for (const folder of [".claude", ".codex"]) mkdirSync(join(home.path, folder));
  terminal = openTerminal(home, 140, 40);
});
afterEach(() => terminal.close());

const questions = (screen: string): number => screen.split("[y/N]").length - 1;

test("setup shows everything on one screen and asks once: the answer no changes nothing, yes makes all changes", async () => {
  const line = `clear; '${process.execPath}' '${MAIN}' setup; echo code=$?`;
  terminal.type(line);
  const asked = await terminal.until((screen) => screen.includes("[y/N]"));
  expect(asked).toContain("claude  MCP server");
  expect(asked).toContain("codex");
  terminal.type("n");
  const refused = await terminal.until((screen) => /code=\d/u.test(screen));
  expect(questions(refused)).toBe(1);
  expect(existsSync(join(home.path, SKILL))).toBe(false);
  terminal.type(line);
  await terminal.until((screen) => screen.includes("[y/N]"));
  terminal.type("y");
  const done = await terminal.until((screen) => screen.includes("code=0"));
  expect(questions(done)).toBe(1);
  expect(existsSync(join(home.path, SKILL))).toBe(true);
});
