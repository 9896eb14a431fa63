/** Lists on narrow terminals and in pipes, their filters, and sessions without messages. */

import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AGENT_NAMES } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import { afterAll, beforeAll, expect, test } from "vitest";
import { widthOf } from "../../src/cli/terminal/index.ts";
import { tested } from "../tested-agents.ts";
import {
  CLAUDE_ID,
  claudeFile,
  claudeText,
  createHome,
  type Home,
  writeDamaged,
  writeSessions,
} from "./home.ts";
import { runHere } from "./in-process.ts";

const LONG_ID = "7e000000-0000-4000-8000-000000000001";
const EMPTY_ID = "8f000000-0000-4000-8000-000000000002";
const FOLDERS = tested(({ ownFolder }) => ownFolder);

let home: Home;
let empty: string;

beforeAll(async () => {
  home = createHome();
  writeSessions(home);
  writeDamaged(home);
  for (const agent of AGENT_NAMES) {
    mkdirSync(join(home.path, FOLDERS[agent]), { recursive: true });
    const from = join(import.meta.dirname, "../fixtures", agent, "compaction/home");
    if (agent === "pi" || agent === "codex")
      cpSync(from, join(home.path, FOLDERS[agent]), { recursive: true });
  }
  const long = claudeText(LONG_ID, [
    { uuid: "l1", parent: null, role: "user", content: "Long folder", time: "11:00:00" },
  ]).replaceAll("/home/ann/app", `/home/ann/${"deep/".repeat(90)}app`);
  home.write(claudeFile(LONG_ID), long);
  home.write(
    claudeFile(EMPTY_ID),
    claudeText(EMPTY_ID, []) +
      `${JSON.stringify({ type: "file-history-snapshot", messageId: "m", snapshot: {}, isSnapshotUpdate: false })}\n`,
  );
  await using store = await openStore(`sqlite:${join(home.path, ".continuo/continuo.db")}`);
  const ref = { model: null, location: null, cwd: null, baseSequence: 0, verifiedAt: null, state: "live" };
  await store.createSession({
    title: "A conversation with two agents",
    metadata: {
      providerSessions: { claude: { ...ref, sessionId: CLAUDE_ID }, codex: { ...ref, sessionId: "gone" } },
    },
  });
  empty = (await store.createSession({})).sessionId;
});
afterAll(() => home[Symbol.dispose]());

test.each([30, 40, 50, 60, 80, 100, 200])("no row of the list wraps at %i columns", async (columns) => {
  const { stdout, code } = await runHere(home, ["list", "--all"], { columns });
  expect(code).toBe(0);
  const table = stdout.slice(0, stdout.indexOf("\n\n")).split("\n");
  expect(table.length).toBeGreaterThan(6);
  expect(Math.max(...table.map(widthOf))).toBeLessThanOrEqual(columns);
});

test.each([40, 50, 80])("the project of a session is in its row at %i columns", async (columns) => {
  const { stdout } = await runHere(home, ["list", "--all"], { columns });
  const [header = "", ...rows] = stdout.slice(0, stdout.indexOf("\n\n")).split("\n");
  expect(header).toContain("project");
  expect(rows.filter((row) => row.includes("app")).length).toBeGreaterThan(2);
});

test.each([36, 50, 80])(
  "no row of `info` wraps at %i columns, and a word is cut only if it is longer than a row",
  async (columns) => {
    const { stdout } = await runHere(home, ["info", CLAUDE_ID], { columns });
    const rows = stdout.split("\n");
    expect(Math.max(...rows.map(widthOf))).toBeLessThanOrEqual(columns);
    const whole = (await runHere(home, ["info", CLAUDE_ID])).stdout;
    const wordsIn = (text: string): string[] => text.split(/\s+/u);
    const room = columns - 20;
    const broken = wordsIn(stdout).filter(
      (word) => word.length < room && !wordsIn(whole).some((one) => one.includes(word)),
    );
    const missing = wordsIn(whole).filter((word) => word.length < room && !wordsIn(stdout).includes(word));
    expect([broken, missing]).toEqual([[], []]);
  },
);

test.each([60, 80])("at %i columns, a title has at least 24 of them if it needs them", async (columns) => {
  const { stdout } = await runHere(home, ["list", "--all"], { columns });
  expect(stdout).toContain("A conversation with two");
});

test("in a pipe no value is cut, and a long path does not pad the other rows", async () => {
  const { stdout } = await runHere(home, ["list", "--all"]);
  const rows = stdout.split("\n");
  expect(rows.some((row) => row.includes("deep/".repeat(90)))).toBe(true);
  expect(rows.filter((row) => widthOf(row) > 200).length).toBe(1);
});

test("sessions without messages are left out and counted, except with --empty and --json", async () => {
  const { stdout, stderr } = await runHere(home, ["list", "--all"]);
  expect(stdout).not.toContain("(empty)");
  expect(stderr).toContain("2 empty: --empty shows them");
  const all = (await runHere(home, ["list", "--all", "--empty"])).stdout;
  expect(all.match(/\(empty\)/gu)?.length).toBe(2);
  const rows = JSON.parse((await runHere(home, ["list", "--all", "--json"])).stdout) as {
    sessionId: string;
  }[];
  const ids = rows.map(({ sessionId }) => sessionId);
  expect(ids).toEqual(expect.arrayContaining([EMPTY_ID, empty]));
});

test("`last` skips an empty session that is newer", async () => {
  const info = JSON.parse((await runHere(home, ["info", "last", "--json"])).stdout);
  expect(info.title).toBe("A conversation with two agents");
});

test("--title and --has-problems filter, with and without a limit", async () => {
  const titles = async (...flags: readonly string[]): Promise<readonly string[]> => {
    const { stdout } = await runHere(home, ["list", "--json", ...flags]);
    return (JSON.parse(stdout) as { title: string }[]).map(({ title }) => title);
  };
  expect(await titles("--title", "AGENTS conversation")).toEqual(["A conversation with two agents"]);
  expect(await titles("--title", "folder", "--limit", "1")).toEqual(["Long folder"]);
  expect(await titles("--title", "no such words")).toEqual([]);
  expect((await titles("--has-problems", "--agent", "claude")).length).toBe(2);
});

test("--has-problems lists the same sessions as `check`, even if only a full read shows the problem", async () => {
  using killed = createHome();
  const folders = { claude: ".claude", pi: ".pi/agent" };
  for (const agent of ["claude", "pi"] as const) {
    const from = join(import.meta.dirname, "../fixtures", agent, "killed/home");
    cpSync(from, join(killed.path, folders[agent]), { recursive: true });
  }
  const sound = join(import.meta.dirname, "../fixtures/codex/compaction/home");
  cpSync(sound, join(killed.path, ".codex"), { recursive: true });
  const found = async (...args: readonly string[]): Promise<readonly string[]> => {
    const { stdout } = await runHere(killed, [...args, "--json"]);
    const rows = JSON.parse(stdout) as { agent: string; problems: readonly { code: string }[] }[];
    return rows.flatMap(({ agent, problems }) => problems.map(({ code }) => `${agent} ${code}`)).sort();
  };
  const listed = await found("list", "--has-problems");
  expect(listed).toEqual(["claude call_without_result", "pi call_without_result"]);
  expect(await found("check")).toEqual(listed);
  const { stderr } = await runHere(killed, ["list", "--has-problems"]);
  expect(stderr).toContain("2 damaged sessions in this list");
  expect((await runHere(killed, ["list", "--has-problems", "--limit", "1"])).stderr).toContain("1 more");
});

test.each([36, 50, 80])(
  "no row of the agents wraps at %i columns, and each shows where the agent is",
  async (columns) => {
    const folder = join(home.path, "a-folder-with-a-long-name/and-another-one/bin");
    const files = ["claude", "codex"].map((name) => join(folder, name));
    for (const file of files) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(file, "#!/bin/sh\n", { mode: 0o755 });
    }
    const { stdout, code } = await runHere(home, ["agents"], { columns, env: { PATH: folder } });
    expect(code).toBe(0);
    const table = stdout.slice(0, stdout.indexOf("\n\n")).split("\n");
    expect(table.length).toBeGreaterThan(5);
    expect(Math.max(...table.map(widthOf))).toBeLessThanOrEqual(columns);
    expect(table.filter((row) => /claude|codex/u.test(row) && row.includes("…"))).toHaveLength(2);
    expect(table.join()).toContain("not found");
  },
);

test("a session that has only pictures is not empty; one that has only slash commands is", async () => {
  const data =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data } };
  const own = createHome();
  const idOf = (last: number): string => `9f000000-0000-4000-8000-00000000000${last}`;
  for (const [last, content] of [
    [image],
    [{ type: "text", text: "<command-name>/clear</command-name>" }],
  ].entries()) {
    own.write(
      claudeFile(idOf(last)),
      claudeText(idOf(last), [{ uuid: `p${last}`, parent: null, role: "user", content, time: "11:00:00" }]),
    );
  }
  const { stdout, stderr } = await runHere(own, ["list"]);
  expect(stdout).toContain("[picture]");
  expect(stderr).toMatch(/1 empty: --empty shows (it|them)/u);
  expect((await runHere(own, ["show", "last"])).stdout).toContain("image png");
  own[Symbol.dispose]();
});
