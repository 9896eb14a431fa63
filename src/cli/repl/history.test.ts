import { appendFileSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../../../test/scratch-folder.ts";
import type { Shell } from "../terminal/index.ts";
import { openHistory } from "./history.ts";
import { REPL_LIMITS } from "./limits.ts";

let home: string;
let shell: Shell;
let file: string;

beforeEach(() => {
  home = scratchFolder("history");
  file = join(home, "history");
  const onExit = (): Disposable => ({ [Symbol.dispose]: () => undefined });
  shell = { home, env: { CONTINUO_HOME: home }, onExit } as unknown as Shell;
});

test("typed lines are in the next conversation's history, which only this user can read", async () => {
  const history = await openHistory(shell);
  for (const line of ["one", "one", " secret", "  ", "two\nlines"]) history.add(line);
  expect((await openHistory(shell)).entries).toEqual(["one", "two\nlines"]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("lines that Continuo did not write are left out", async () => {
  writeFileSync(file, '"one"\n{"torn\n42\n"two"\n');
  expect((await openHistory(shell)).entries).toEqual(["one", "two"]);
});

test("the history is bounded in entries and bytes", async () => {
  const history = await openHistory(shell);
  for (let at = 0; at < REPL_LIMITS.historyEntries + 50; at++) history.add(`line ${at}`);
  history.add("x".repeat(REPL_LIMITS.entryChars + 1));
  expect(history.entries.length).toBe(REPL_LIMITS.historyEntries);
  expect(history.entries.at(-1)).toBe(`line ${REPL_LIMITS.historyEntries + 49}`);
  for (let at = 0; at < 40; at++) appendFileSync(file, `${JSON.stringify("y".repeat(10_000) + at)}\n`);
  const { entries } = await openHistory(shell);
  expect(statSync(file).size).toBeLessThanOrEqual(REPL_LIMITS.historyBytes / 2);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(entries.at(-1)).toBe(`${"y".repeat(10_000)}39`);
  expect(readFileSync(file, "utf8").trimEnd().split("\n")).toHaveLength(entries.length);
});
