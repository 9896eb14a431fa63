/** `session export` of many sessions as one data set: five agents, damaged files, filters, and what is left out. */

import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { HOME_VARIABLES } from "@continuo/agents";
import type { AgentName } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import { beforeAll, expect, test, vi } from "vitest";
import { claudeFile, createHome, DAMAGED_ID, type Home, writeDamaged, writeSessions } from "./home.ts";
import { runHere, runInProcess, runProgramHere, shellHere } from "./in-process.ts";
import { LISTED, listing } from "./listing-agent.ts";
import { createTalkHome } from "./talk.ts";

/** A session of each agent, made by its program. */
const CASES: readonly (readonly [AgentName, string])[] = [
  ["claude", "parallel-tools"],
  ["codex", "plan-and-shell"],
  ["gemini", "parallel-tools"],
  ["opencode", "parallel-tools"],
  ["pi", "parallel-tools"],
];
const FIXTURES = join(import.meta.dirname, "../fixtures");

let home: Home;
let env: Readonly<Record<string, string>>;
beforeAll(() => {
  home = createHome();
  for (const [agent, name] of CASES) {
    cpSync(join(FIXTURES, agent, name, "home"), join(home.path, agent), { recursive: true });
  }
  env = Object.fromEntries(CASES.map(([agent]) => [HOME_VARIABLES[agent], join(home.path, agent)]));
});

const exported = async (...args: readonly string[]) =>
  await runHere(home, ["session", "export", ...args], { env });

const linesOf = (text: string): readonly Record<string, unknown>[] =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

test.each(["openai", "anthropic", "sharegpt"])(
  "the sessions of five agents are one line of %s each, equal to the exports of the sessions",
  async (format) => {
    const { code, stdout, stderr } = await exported("--since", "2020-01-01", "--format", format);
    const listed = JSON.parse((await runHere(home, ["session", "list", "--json"], { env })).stdout);
    const full = (listed as { sessionId: string; agent: string; counts?: unknown }[]).map(
      ({ agent, sessionId }) => `${agent}:${sessionId}`,
    );
    const singles = await Promise.all(
      full.map(async (id) => (await exported(id, "--format", format)).stdout),
    );
    const wanted = singles.filter((line) => line !== "");
    expect(wanted.length).toBeGreaterThanOrEqual(5);
    expect(
      stdout
        .split("\n")
        .filter((line) => line !== "")
        .toSorted(),
    ).toEqual(wanted.map((line) => line.trimEnd()).toSorted());
    expect(new Set(full.map((id) => id.split(":")[0])).size).toBe(5);
    expect(stderr.split("\n")[0]).toBe(`${wanted.length} sessions as ${format}`);
    expect(code).toBe(0);
  },
);

test.each(["openai", "anthropic", "sharegpt"])(
  "the title, the model and other records that an agent shows only to the person are counted, and no messages of %s",
  async (format) => {
    using own = createHome();
    cpSync(join(FIXTURES, "pi/parallel-tools/home"), join(own.path, "pi"), { recursive: true });
    const [name = ""] = readdirSync(join(own.path, "pi"), { recursive: true, encoding: "utf8" }).filter(
      (path) => path.endsWith(".jsonl"),
    );
    const file = join(own.path, "pi", name);
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    const { id, timestamp } = JSON.parse(lines.at(-1) ?? "") as Record<string, unknown>;
    const title = { type: "session_info", id: "0badc0de", parentId: id, timestamp, name: "A garden" };
    writeFileSync(file, `${[...lines, JSON.stringify(title)].join("\n")}\n`);
    const options = { env: { [HOME_VARIABLES.pi]: join(own.path, "pi") } };
    const args = ["session", "export", "--agent", "pi", "--format", format];
    const { stdout, stderr } = await runHere(own, args, options);
    expect(linesOf(stdout)).toHaveLength(1);
    expect(stdout).not.toMatch(/Title: |A garden|Model: |Thinking level: /u);
    expect(stderr).toContain("left out, because no model got them: 3 notices to the person\n");
  },
);

test("filters choose the sessions, and a data set of them is written completely or not at all", async () => {
  const path = join(home.path, "set.jsonl");
  const codex = await exported("--agent", "codex", "--format", "openai", "--output", path);
  expect([codex.code, codex.stdout]).toEqual([0, ""]);
  const [only, ...others] = linesOf(readFileSync(path, "utf8"));
  expect(others).toEqual([]);
  expect(only?.messages).toEqual(expect.arrayContaining([expect.objectContaining({ role: "assistant" })]));
  expect(codex.stderr).toContain("1 session as openai");
  const none = await exported("--until", "2020-01-01", "--format", "openai");
  expect([none.code, none.stdout]).toEqual([0, ""]);
  expect(none.stderr).toContain("0 sessions as openai\nthe data set is empty: no session matches\n");
  const late = join(home.path, "late.jsonl");
  for (const args of [
    ["--since", "2020-01-01"],
    ["--since", "2020-01-01", "--format", "md"],
    ["--since", "2020-01-01", "--format", "openai", "--all"],
    ["some", "--since", "2020-01-01", "--format", "openai"],
  ]) {
    const refused = await exported(...args, "--output", late);
    expect([args, refused.code, existsSync(late)]).toEqual([args, 2, false]);
  }
});

test("secrets are masked in all sessions, and damaged sessions are counted and written as far as they can be read", async () => {
  using own = createHome();
  writeSessions(own);
  writeDamaged(own);
  const secret = `ghp_${"a1B2".repeat(9)}`;
  const file = join(own.path, claudeFile(DAMAGED_ID));
  writeFileSync(file, readFileSync(file, "utf8").replaceAll("Fix the build", `Fix the build with ${secret}`));
  const many = await runHere(own, ["session", "export", "--since", "2020-01-01", "--format", "sharegpt"]);
  expect(many.stdout).not.toContain(secret);
  expect(linesOf(many.stdout)).toHaveLength(4);
  expect(many.stderr).toContain("4 sessions as sharegpt\n");
  expect(many.stderr).toContain("damaged, and written as far as they can be read: 1 session\n");
  expect(many.stderr).toContain("Masked 1 secret: 1 × GitHub token.");
  expect(many.code).toBe(0);
});

test("an unknown agent is refused by its name, and the file that should be replaced stays as it was", async () => {
  const path = join(home.path, "kept.jsonl");
  writeFileSync(path, "before");
  const args = ["--format", "openai", "--output", path, "--force"];
  const refused = await exported("--agent", "codex", "--agent", "codeks", ...args);
  expect([refused.code, refused.stdout, readFileSync(path, "utf8")]).toEqual([2, "", "before"]);
  expect(refused.stderr).toMatch(/there is no agent "codeks".*Choose one of claude, codex/su);
  const found = await exported("--agent", "CODEX", ...args);
  expect([found.code, linesOf(readFileSync(path, "utf8")).length]).toEqual([0, 1]);
});

test("an agent of continuo.yaml is asked for its sessions, and each that only it can read is named", async () => {
  using own = createTalkHome(listing([LISTED]));
  const args = ["session", "export", "--agent", "robot", "--format", "openai"];
  const { code, stdout, stderr } = await runHere(own, args, { cwd: join(own.path, "project") });
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toContain("the data set is empty\nleft out: 2 sessions that cannot be read\n");
  expect(stderr).toContain("robot:there: robot lists this session, and only robot can read it\n");
});

test("an export that is aborted at any moment leaves the file that it would replace as it was", async () => {
  using own = createHome();
  writeSessions(own);
  const path = join(own.path, "kept.jsonl");
  const args = ["session", "export", "--since", "2020-01-01", "--format", "openai"];
  let isWhole = false;
  let moments = 0;
  while (!isWhole) {
    moments += 1;
    writeFileSync(path, "before");
    const stop = new AbortController();
    const { shell } = shellHere(own);
    let looks = 0;
    Object.defineProperty(shell, "signal", {
      get() {
        looks += 1;
        if (looks === moments) stop.abort();
        return stop.signal;
      },
    });
    const code = await runProgramHere([...args, "--output", path, "--force"], shell);
    isWhole = looks < moments;
    expect([code === 0, readFileSync(path, "utf8") !== "before"]).toEqual([isWhole, isWhole]);
  }
  expect(moments).toBeGreaterThan(5);
});

test("the store is opened as often for many of Continuo's own sessions as for one", async () => {
  const closed = vi.spyOn(DatabaseSync.prototype, "close");
  const opens: number[] = [];
  for (const count of [1, 5]) {
    using own = createHome();
    own.write(".continuo/.keep", "");
    await using store = await openStore(`sqlite:${join(own.path, ".continuo/continuo.db")}`);
    for (let at = 0; at < count; at += 1) {
      const { sessionId } = await store.createSession({ title: `Number ${at}` });
      const data = { content: "hello" };
      await store.append(sessionId, [{ type: "message_sent", actor: { kind: "person" }, data }]);
      await store.append(sessionId, [{ type: "message_received", actor: { kind: "agent" }, data }]);
    }
    closed.mockClear();
    const args = ["session", "export", "--agent", "continuo", "--format", "openai"];
    const { code, stdout } = await runInProcess(own, args);
    expect([code, linesOf(stdout).length]).toEqual([0, count]);
    opens.push(closed.mock.calls.length);
  }
  expect(opens[0]).toBe(opens[1]);
  expect(opens[0]).toBeGreaterThan(0);
});
