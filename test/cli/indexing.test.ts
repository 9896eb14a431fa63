/** The conditions under which a command starts a background process that indexes, and the work of that process. */

import { existsSync, rmSync, symlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { lockSession } from "@continuo/files";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { keepIndexed } from "../../src/cli/indexing/index.ts";
import type { DetachedCommand, Shell } from "../../src/cli/terminal/index.ts";
import { createHome, type Home } from "./home.ts";
import { runInProcess } from "./in-process.ts";
import { wombatFile, writeWombats } from "./wombats.ts";

/** More sessions than a search indexes before it answers. */
const MANY = 66;
const BACKGROUND = ["index", "update", "--background"];

let home: Home;
let mark: string;
beforeEach(() => {
  home = createHome();
  mark = join(home.path, ".continuo/index.started");
  writeWombats(home, MANY);
  // A time long after everything was written, so that time stamps can be trusted.
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 86_400_000 });
});
afterEach(() => {
  vi.useRealTimers();
  home[Symbol.dispose]();
});

async function status(): Promise<{ readonly indexed: number; readonly background: string }> {
  return JSON.parse((await runInProcess(home, ["index", "status", "--json"])).stdout);
}

/** Returns the background processes that a command would start. */
async function startedBy(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<readonly DetachedCommand[]> {
  const commands: DetachedCommand[] = [];
  const { code } = await runInProcess(home, args, { env, onDetached: (command) => commands.push(command) });
  expect(code).toBe(0);
  return commands;
}

function setMark(ageMs: number): void {
  utimesSync(mark, (Date.now() - ageMs) / 1000, (Date.now() - ageMs) / 1000);
}

test("a list of many sessions starts one process, and the next one after ten minutes", async () => {
  expect(await startedBy(["list"])).toMatchObject([{ args: BACKGROUND }]);
  setMark(599_000);
  expect(await startedBy(["list"])).toEqual([]);
  setMark(601_000);
  expect(await startedBy(["list", "--json"])).toHaveLength(1);
});

test("a program that answers searches starts a process at once, and again every ten minutes until it ends", async () => {
  vi.useFakeTimers({ toFake: ["Date", "setInterval", "clearInterval"], now: Date.now() });
  const commands: DetachedCommand[] = [];
  const shell = {
    home: home.path,
    cwd: home.path,
    env: {},
    startDetached: async (command: DetachedCommand) => void commands.push(command),
  } as unknown as Shell;
  const indexing = keepIndexed(shell);
  expect(commands).toMatchObject([{ args: BACKGROUND }]);
  vi.advanceTimersByTime(602_000);
  expect(commands).toHaveLength(2);
  indexing[Symbol.dispose]();
  vi.advanceTimersByTime(1_800_000);
  expect(commands).toHaveLength(2);
});

test("a search that read many files starts a process, once in a minute, and says that it runs", async () => {
  const text = "a process in the background indexes them now";
  const first = await runInProcess(home, ["search", "wombat55"], { onDetached: () => undefined });
  expect(first.stderr).toContain(`${MANY} sessions are not indexed`);
  expect(first.stderr).toContain(text);
  setMark(59_000);
  expect(await startedBy(["search", "wombat55"])).toEqual([]);
  setMark(61_000);
  expect(await startedBy(["search", "wombat55", "--json"])).toHaveLength(1);
  using _running = await lockIndexing();
  expect((await runInProcess(home, ["search", "wombat55"])).stderr).toContain(text);
});

test("no process is started in CI, or if nothing can be written", async () => {
  expect(await startedBy(["list"], { CI: "true" })).toEqual([]);
  home.write(".continuo/config", "");
  symlinkSync("/nonexistent/place", mark);
  expect(await startedBy(["list"])).toEqual([]);
  rmSync(mark);
  expect(await startedBy(["list"])).toHaveLength(1);
});

test("no process is started for a number of sessions that a search indexes itself", async () => {
  for (let at = 64; at < MANY; at++) rmSync(join(home.path, wombatFile(at)));
  expect(await startedBy(["list"])).toEqual([]);
  expect(await startedBy(["search", "wombat55"])).toEqual([]);
});

test("the process has the command's store as an absolute path, since it runs in the root folder", async () => {
  const [command] = await startedBy(["list"], { CONTINUO_STORE: "sqlite:own.db" });
  expect(command?.env).toMatchObject({
    CONTINUO_HOME: join(home.path, ".continuo"),
    CONTINUO_STORE: `sqlite:${join(home.path, "own.db")}`,
  });
});

test("the process indexes everything, and the next search reads no file of a session", async () => {
  home.write(".continuo/index.started", "");
  expect(await runInProcess(home, BACKGROUND)).toEqual({ code: 0, stdout: "", stderr: "" });
  expect(await status()).toMatchObject({ indexed: MANY, background: "idle" });
  const { stdout, stderr } = await runInProcess(home, ["search", "wombat55", "--json"]);
  expect([JSON.parse(stdout), stderr]).toMatchObject([{ total: 1, notIndexed: 0 }, ""]);
});

test("the process does nothing if the settings turn it off", async () => {
  home.write(".continuo/index.started", "");
  home.write(".continuo/continuo.yaml", "index:\n  background: false\n");
  expect((await runInProcess(home, BACKGROUND)).code).toBe(0);
  expect(await status()).toMatchObject({ indexed: 0 });
});

test("only one process indexes a home, and the status says that it runs", async () => {
  home.write(".continuo/index.started", "");
  {
    using _running = await lockIndexing();
    expect(await status()).toMatchObject({ background: "running", indexed: 0 });
    expect((await runInProcess(home, ["index", "status"])).stdout).toContain(
      "a process indexes what is missing",
    );
    expect((await runInProcess(home, BACKGROUND)).code).toBe(0);
  }
  expect(await status()).toMatchObject({ background: "idle", indexed: 0 });
});

test("the process ends if Continuo's home was deleted, and does not create it again", async () => {
  expect(await runInProcess(home, BACKGROUND)).toEqual({ code: 0, stdout: "", stderr: "" });
  expect(existsSync(join(home.path, ".continuo/index.db"))).toBe(false);
});

async function lockIndexing(): Promise<Disposable> {
  const places = { home: home.path, env: {} };
  const index = join(home.path, ".continuo/index.db");
  const lock = await lockSession(index, "indexing", { places, waitMs: 0, signal: undefined });
  return { [Symbol.dispose]: () => lock.release() };
}
