/** Every command that takes a session finds it by the same names, and gives the same errors. */

import { join } from "node:path";
import { openStore } from "@continuo/store";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CLAUDE_ID, CODEX_ID, claudeFile, createHome, HOSTILE_ID, type Home, writeSessions } from "./home.ts";
import { runHere } from "./in-process.ts";

/** This id begins like that of the Codex session. */
const SHARED = "01999999-2222-7000-8000-000000000001";
const ALONE = "01888888-0000-7000-8000-000000000002";
/** This id begins like that of its own native session, which is the same conversation. */
const TAKEN = "4bf3c2a0-0000-7000-8000-000000000003";

let home: Home;
let database: string;

beforeAll(async () => {
  home = createHome();
  writeSessions(home);
  database = join(home.path, ".continuo/continuo.db");
  await using store = await openStore(`sqlite:${database}`);
  const ref = { model: null, location: null, cwd: null, baseSequence: 0, verifiedAt: null, state: "live" };
  await store.createSession({
    sessionId: TAKEN,
    metadata: { providerSessions: { claude: { ...ref, sessionId: CLAUDE_ID } } },
  });
  await store.createSession({ sessionId: ALONE, title: "Alone" });
  for (const sessionId of [ALONE, SHARED]) {
    if (sessionId === SHARED) await store.createSession({ sessionId });
    await store.append(sessionId, [
      { type: "message_sent", actor: { kind: "person" }, data: { content: "Hello" } },
    ]);
  }
});

afterAll(() => home[Symbol.dispose]());

/** Every command that takes a session; `ID` stands for it. */
const COMMANDS: readonly (readonly string[])[] = [
  ["session", "info", "ID"],
  ["session", "show", "ID"],
  ["show", "ID"],
  ["session", "show", "ID", "--json"],
  ["session", "check", "ID"],
  ["session", "export", "ID"],
  ["session", "copy", "ID"],
  ["session", "delete", "ID", "--yes"],
  ["session", "rename", "ID", "Title"],
  ["session", "fork", "ID"],
  ["session", "repair", "ID"],
  ["handoff", "ID", "--to", "pi", "--dry-run"],
  ["resume", "ID", "--print"],
  ["chat", "--resume", "ID", "Hello"],
  ["chat", "--fork", "ID", "Hello"],
  ["repl", "--resume", "ID"],
  ["repl", "--fork", "ID"],
];

const commands = COMMANDS.map((words) => [words.join(" "), words] as const);
const withId = (words: readonly string[], id: string): string[] =>
  words.map((word) => (word === "ID" ? id : word));

describe.each(commands)("continuo %s", (_, words) => {
  test.each([
    "ffffffff",
    "",
    "continuo:ffffffff",
    "claude:ffffffff",
    "continuo:4bf3d",
    "pi:4bf3d000",
    "./nothing.jsonl",
    "last:pi",
    "last:nobody",
  ])("finds no session %j: exit code 3", async (id) => {
    const { code, stdout, stderr } = await runHere(home, withId(words, id));
    expect(stdout + stderr).toMatch(/no session|no file|no agent/u);
    expect(code).toBe(3);
  });

  test("lists the sessions of an ambiguous id: exit code 1", async () => {
    const { code, stdout, stderr } = await runHere(home, withId(words, "01999999"));
    for (const name of [`continuo:${SHARED}`, `codex:${CODEX_ID}`]) {
      const [agent, id] = name.split(":") as [string, string];
      expect(stdout + stderr).toContain(agent);
      expect(stdout + stderr).toContain(id);
    }
    expect(stdout + stderr).toContain(
      '"01999999" names 2 sessions'.replace(/"/gu, words.includes("--json") ? '\\"' : '"'),
    );
    expect(code).toBe(1);
  });
});

test("a command of repl uses the same look-up", async () => {
  const stdin = "/resume ffffffff\n/resume 01999999\n/fork continuo:ffff\n";
  const { stdout, stderr } = await runHere(home, ["repl", "--agent", "claude"], { stdin });
  expect(stdout + stderr).toContain('no session "ffffffff"');
  expect(stdout + stderr).toContain('"01999999" names 2 sessions');
  expect(stdout + stderr).toContain('no session "continuo:ffff"');
});

test.each([
  [ALONE, ALONE],
  ["0188", ALONE],
  ["continuo:0188", ALONE],
  ["continuo:01999999", SHARED],
  ["codex:01999999", CODEX_ID],
  [CODEX_ID.toUpperCase(), CODEX_ID],
  ["4bf3c2a1", CLAUDE_ID],
  ["4BF3D", HOSTILE_ID],
  ["4bf3c", TAKEN],
  [`claude:${CLAUDE_ID}`, CLAUDE_ID],
  ["last:codex", CODEX_ID],
  ["last:claude", TAKEN],
  ["last:continuo", SHARED],
  ["last", SHARED],
])("%j is %s", async (name, sessionId) => {
  const { code, stdout, stderr } = await runHere(home, ["session", "info", name, "--json"]);
  expect([stderr, code]).toEqual(["", 0]);
  expect(JSON.parse(stdout)).toMatchObject({ sessionId });
});

test("a path can name a session: the path of a native file, or the path of the store with an id", async () => {
  const names = [claudeFile(HOSTILE_ID), join(home.path, claudeFile(HOSTILE_ID)), `${database}#${ALONE}`];
  const found = [];
  for (const name of [...names, `.continuo/continuo.db#${ALONE}`]) {
    const { stdout } = await runHere(home, ["session", "info", name, "--json"]);
    found.push(JSON.parse(stdout).sessionId);
  }
  expect(found).toEqual([HOSTILE_ID, HOSTILE_ID, ALONE, ALONE]);
});

test("an empty CONTINUO_STORE counts as unset for every command", async () => {
  const env = { CONTINUO_STORE: "" };
  const info = await runHere(home, ["session", "info", ALONE, "--json"], { env });
  const store = await runHere(home, ["store", "info", "--json"], { env });
  const handed = await runHere(home, ["handoff", SHARED, "--to", "pi", "--dry-run", "--cwd", home.path], {
    env,
  });
  expect([info.code, store.code, handed.code]).toEqual([0, 0, 0]);
  expect(store.stdout).toContain(database);
});
