/** `check` of every session, and `repair --all`: damage before warnings, a plan before anything is written. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { copyHome } from "../fixture-home.ts";
import {
  claudeFile,
  createHome,
  DAMAGED_ID,
  type Home,
  type Run,
  writeDamaged,
  writeSessions,
} from "./home.ts";
import { runHere } from "./in-process.ts";

let home: Home;
let file: string;
let before: string;
beforeEach(() => {
  home = createHome();
  writeSessions(home);
  writeDamaged(home);
  file = join(home.path, claudeFile(DAMAGED_ID));
  before = readFileSync(file, "utf8");
});

const run = (...args: readonly string[]): Promise<Run> =>
  runHere(home, ["session", ...args], { env: { GEMINI_CLI_HOME: join(home.path, "agent") } });

/** Gemini CLI itself reads only a part of this session, which is a warning and not damage. */
async function warn(): Promise<string> {
  const { sessions } = await copyHome(home.path, ["gemini", "line-separator"]);
  return sessions[0]?.sessionId ?? "";
}

test("a check of all sessions shows damage, and counts warnings until they are asked for", async () => {
  const warned = await warn();
  const { stdout, code } = await run("check");
  expect(code).toBe(4);
  expect(stdout).toContain(`claude:${DAMAGED_ID}`);
  expect(stdout).not.toContain("lost_on_resume");
  expect(stdout).toContain("checked 5 sessions: 1 damaged, 1 with warnings only (--warnings shows them)\n");
  expect((await run("check", "--warnings")).stdout).toContain("warning ");
  expect((await run("check", warned)).stdout).toContain("warning ");
  const all = JSON.parse((await run("check", "--json")).stdout) as { problems: unknown[] }[];
  expect(all.filter(({ problems }) => problems.length > 0).length).toBe(2);
});

test("list marks the same sessions as damaged as check does", async () => {
  await warn();
  const { stdout, stderr } = await run("list");
  expect(stdout.match(/damaged/gu)?.length).toBe(1);
  expect(stderr).toContain("1 damaged session in this list");
});

test("repair --all shows a plan, and writes nothing", async () => {
  const { stdout, code } = await run("repair", "--all");
  expect(stdout).toContain(`claude:${DAMAGED_ID}  2 records`);
  expect(stdout).toContain("1 session can be repaired. Nothing was written");
  expect(code).toBe(0);
  expect(readFileSync(file, "utf8")).toBe(before);
  const [plan] = JSON.parse((await run("repair", "--all", "--json")).stdout);
  expect(plan).toMatchObject({ sessionId: DAMAGED_ID, written: null, error: null, remaining: [] });
});

test("repair --all --in-place asks first; with --yes it repairs each, and the old state can be restored", async () => {
  const refused = await run("repair", "--all", "--in-place");
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain("--yes");
  expect(readFileSync(file, "utf8")).toBe(before);
  const { stdout, code } = await run("repair", "--all", "--in-place", "--yes");
  expect(stdout).toContain("1 session repaired.");
  expect(code).toBe(0);
  expect((await run("check")).stdout).toBe("checked 4 sessions: no problems\n");
  expect((await run("repair", "--all")).stdout).toBe("No session can be repaired.\n");
});

test("repair takes one ID, or --all", async () => {
  for (const args of [[], [DAMAGED_ID, "--all"], ["--all", "--output", "x"]]) {
    expect((await run("repair", ...args)).code).toBe(2);
  }
});

test("--json has the whole error of a session that cannot be repaired", async () => {
  writeFileSync(file, '{"broken": \n');
  const { code, stdout } = await run("repair", "--all", "--json");
  const plans = JSON.parse(stdout);
  expect([code, plans]).toEqual([
    2,
    [
      {
        agent: "claude",
        sessionId: DAMAGED_ID,
        location: file,
        error: {
          code: "invalid",
          message: `cannot repair ${file}: it contains no complete record`,
          hint: "Restore the file from a backup.",
          details: {},
          page: "docs/errors.md#invalid",
        },
      },
    ],
  ]);
});
