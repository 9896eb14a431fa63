/**
 * `continuo guard`: sessions that will be deleted, their copies, and commands that read a session that exists only as a
 * copy.
 */

import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findCopy, readLedger } from "@continuo/native/editing/guard";
import { beforeEach, expect, test } from "vitest";
import { DAY_MS, writeClaudeSession } from "../guard/sessions.ts";
import { createHome, type Home } from "./home.ts";
import { runHere } from "./in-process.ts";

const [OLD, YOUNG] = ["0b9c1a52-0000-4000-8000-000000000001", "1c9c1a52-0000-4000-8000-000000000002"];

let home: Home;
let path: string;

beforeEach(() => {
  home = createHome();
  path = writeClaudeSession(home.path, { id: OLD, turns: 6, writtenMs: Date.now() - 27 * DAY_MS }).path;
  writeClaudeSession(home.path, { id: YOUNG, turns: 6, writtenMs: Date.now() - DAY_MS });
});

async function run(...args: readonly string[]) {
  // The search path has no service manager of this machine.
  return await runHere(home, args, { env: { PATH: "/nowhere" } });
}

async function goneWithCopy(): Promise<void> {
  await run("guard", "on");
  rmSync(join(home.path, ".claude/projects/-work", OLD), { recursive: true });
  rmSync(path);
}

test("status shows what each agent deletes and which sessions are deleted soon, and changes nothing", async () => {
  const { code, stdout } = await run("guard", "status");
  expect(code).toBe(0);
  expect(stdout).toContain("The guard is off");
  expect(stdout).toContain("Claude Code deletes what nobody wrote to for 30 days");
  expect(stdout).toContain("1 session will be deleted within 5 days, without a copy");
  expect(stdout).toContain(`claude:${OLD}`);
  expect(existsSync(join(home.path, ".continuo/guard"))).toBe(false);
});

test("the doctor and a list on a terminal mention sessions that will be deleted without a copy, until there is one", async () => {
  const list = async () =>
    (await runHere(home, ["list"], { env: { PATH: "/nowhere" }, columns: 120 })).stderr;
  const guard = async () =>
    JSON.parse((await run("doctor", "--json")).stdout).find((one: { name: string }) => one.name === "guard");
  expect(await list()).toContain(
    "1 session will be deleted within 5 days, without a copy: `continuo guard on` copies them",
  );
  expect(await guard()).toMatchObject({
    state: "warning",
    message: "off · 1 session will be deleted within 5 days, without a copy",
  });
  await run("guard", "on");
  expect(await list()).not.toContain("will be deleted within");
  expect(await guard()).toMatchObject({ state: "fine" });
});

test("on makes copies at once and writes a timer, off removes the timer and keeps the copies", async () => {
  const timer = join(home.path, ".config/systemd/user/continuo-guard.timer");
  const on = await run("guard", "on", "--max-size", "1GB", "--max-age", "never");
  expect(on.stdout).toContain("2 sessions that an agent may delete: 2 copied now, 0 as they were");
  expect(existsSync(timer)).toBe(true);
  expect(readFileSync(timer.replace(".timer", ".service"), "utf8")).toContain('"guard" "run" "--quiet"');
  expect(JSON.parse((await run("guard", "status", "--json")).stdout)).toMatchObject({
    on: true,
    maxBytes: 1e9,
    maxAgeDays: null,
    copies: { sessions: 2, onlyCopies: 0 },
  });
  await run("guard", "off");
  expect(existsSync(timer)).toBe(false);
  expect(JSON.parse((await run("guard", "status", "--json")).stdout)).toMatchObject({
    on: false,
    copies: { sessions: 2 },
  });
  expect((await run("guard", "run")).stdout).toContain("The guard is off");
});

test("sessions that continuo.yaml excludes are not copied, and are counted", async () => {
  mkdirSync(join(home.path, ".continuo"), { recursive: true });
  writeFileSync(join(home.path, ".continuo/continuo.yaml"), `index:\n  exclude:\n    - "**/${OLD}.jsonl"\n`);
  const { stdout } = await run("guard", "on", "--json");
  expect(JSON.parse(stdout).run).toMatchObject({ stored: 1, excluded: 1 });
});

test("a session that exists only as a copy is listed, found, shown, exported and checked like others", async () => {
  const before = await run("session", "show", OLD, "--json");
  await goneWithCopy();
  const rows = JSON.parse((await run("list", "--json")).stdout);
  expect(rows.map(({ sessionId }: { sessionId: string }) => sessionId).sort()).toEqual([OLD, YOUNG]);
  expect(rows.find(({ sessionId }: { sessionId: string }) => sessionId === OLD)).toMatchObject({
    location: path,
    problems: [{ code: "only_copy" }],
  });
  expect((await run("list")).stdout).toContain("only a copy");
  const shown = await run("session", "show", OLD.slice(0, 6), "--json");
  expect(JSON.parse(shown.stdout).messages).toEqual(JSON.parse(before.stdout).messages);
  expect(shown.stderr).toContain("this is the copy of the guard");
  const { results } = JSON.parse((await run("search", "backoff", "--json")).stdout);
  expect(results.map((one: { session: { sessionId: string } }) => one.session.sessionId)).toContain(OLD);
  expect((await run("session", "export", OLD, "--format", "json")).code).toBe(0);
  expect((await run("guard", "list")).stdout).toContain(`claude:${OLD}`);
  expect(existsSync(path)).toBe(false);
});

test("resume restores such a session before its agent opens it", async () => {
  const [cwd, bin, seen] = ["project", "bin", "seen"].map((name) => join(home.path, name)) as [
    string,
    string,
    string,
  ];
  mkdirSync(cwd);
  mkdirSync(bin);
  const id = "2d9c1a52-0000-4000-8000-000000000003";
  const old = { id, turns: 6, writtenMs: Date.now() - 27 * DAY_MS, cwd };
  const there = writeClaudeSession(home.path, old).path;
  const bytes = readFileSync(there);
  await run("guard", "on");
  rmSync(there);
  writeFileSync(join(bin, "claude"), `#!/bin/sh\necho "$@" > '${seen}'\ncat '${there}' >> '${seen}'\n`);
  chmodSync(join(bin, "claude"), 0o700);
  const env = { PATH: `${bin}:${process.env.PATH}` };
  const printed = await runHere(home, ["resume", id, "--print"], { env });
  expect([printed.code, existsSync(there)]).toEqual([0, false]);
  const resumed = await runHere(home, ["resume", id], { env });
  expect([resumed.code, resumed.stderr.includes("Put back: ")]).toEqual([0, true]);
  expect(readFileSync(seen, "utf8")).toBe(`--resume ${id}\n${bytes.toString()}`);
});

test("the background process that lists and servers start copies new sessions", async () => {
  await run("guard", "on");
  const id = "2d9c1a52-0000-4000-8000-000000000003";
  writeClaudeSession(home.path, { id, turns: 6, writtenMs: Date.now() - DAY_MS });
  const places = { home: home.path, env: {} };
  const copied = (): boolean => [...readLedger(places).values()].some(({ sessionId }) => sessionId === id);
  expect(copied()).toBe(false);
  expect((await run("index", "update", "--background")).code).toBe(0);
  expect(copied()).toBe(true);
});

test("such a session can be handed over and renamed", async () => {
  await goneWithCopy();
  const cwd = join(home.path, "project");
  mkdirSync(cwd);
  const handed = await run("handoff", OLD, "--to", "pi", "--cwd", cwd, "--json");
  expect([handed.code, handed.stderr.includes("copy of the guard")]).toEqual([0, true]);
  expect(existsSync(path)).toBe(false);
  const renamed = await run("session", "rename", OLD, "A better name");
  expect([renamed.code, existsSync(path)]).toEqual([0, true]);
});

test("restore puts the session back with the current time, and refuses if another file is at its path", async () => {
  await goneWithCopy();
  writeFileSync(path, "{}\n");
  const refused = await run("guard", "restore", OLD);
  expect([refused.code === 0, readFileSync(path, "utf8")]).toEqual([false, "{}\n"]);
  expect((await run("session", "trash", "--json")).stdout).toBe("[]\n");
  const { code, stdout } = await run("guard", "restore", OLD, "--force");
  expect([code, stdout]).toEqual([0, expect.stringContaining(`restored  claude:${OLD}`)]);
  expect((await run("guard", "status")).stdout).toContain("No session will be deleted within 5 days.");
  expect((await run("guard", "verify")).stdout).toContain("everything is as it was stored");
});

test("verify finds a changed piece, and names its session", async () => {
  await run("guard", "on");
  const { states } = findCopy(OLD, { home: home.path, env: {} });
  const { sha256 = "" } = states[0]?.files[0]?.pieces[0] ?? {};
  writeFileSync(join(home.path, ".continuo/guard/pieces", sha256.slice(0, 2), `${sha256}.zst`), "x");
  const { code, stdout } = await run("guard", "verify");
  expect([code, stdout]).toEqual([4, expect.stringContaining(`claude:${OLD}`)]);
});

test.each([
  ["claude", ".claude/settings.json", null],
  ["claude", ".claude/settings.json", '{\n  "model": "opus"\n}\n'],
  ["claude", ".claude/settings.json", '{"cleanupPeriodDays":9,"model":"opus"}'],
  ["gemini", ".gemini/settings.json", '{\n  // mine\n  "general": { "vimMode": true }\n}\n'],
  ["gemini", ".gemini/settings.json", '{ "general": { "sessionRetention": { "maxAge": "7d" } } }'],
])(
  "the retention of %s is changed after consent, and restored byte for byte (%s, %j)",
  async (agent, name, text) => {
    const file = join(home.path, name);
    mkdirSync(join(file, ".."), { recursive: true });
    if (text !== null) writeFileSync(file, text);
    const asked = await run("guard", "retention", agent);
    expect([asked.code === 0, existsSync(file) ? readFileSync(file, "utf8") : null]).toEqual([false, text]);
    expect((await run("guard", "retention", agent, "--yes")).code).toBe(0);
    const rules = JSON.parse((await run("guard", "status", "--json")).stdout).rules;
    const rule = rules.find((one: { agent: string }) => one.agent === agent).rule;
    if (agent === "claude") expect(rule).toContain("99999 days");
    else expect(rule).toBeNull();
    await run("guard", "retention", agent, "--undo", "--yes");
    expect(existsSync(file) ? readFileSync(file, "utf8") : null).toBe(text);
  },
);
