/**
 * The sessions that the tools show an agent: sub-agents, archived ones and Continuo's own, and no deleted ones.
 */

import { cpSync, mkdirSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { trashNativeSession } from "@continuo/agents";
import { openStore } from "@continuo/store";
import { beforeEach, expect, test } from "vitest";
import { CLAUDE_ID, CODEX_ID, claudeFile, createHome, type Home, writeSessions } from "../cli/home.ts";
import { openMcp } from "./open-mcp.ts";

const FIXTURES = join(import.meta.dirname, "../fixtures");
const OWN_ID = "01999999-2222-7000-8000-000000000001";

let home: Home;
beforeEach(() => {
  home = createHome();
});

test("a deleted session is neither found nor read, by any of its names, while the person can restore it", async () => {
  writeSessions(home);
  const places = { home: home.path, env: {} };
  await using mcp = openMcp(home);
  expect((await mcp.call("grep", { pattern: "Hello Codex" })).data.total).toBe(1);
  const { trashId } = await trashNativeSession(`codex:${CODEX_ID}`, { places });
  for (const [tool, args] of [
    ["search", { query: "hello" }],
    ["grep", { pattern: "Hello Codex" }],
  ] as const) {
    const { data, text } = await mcp.call(tool, args);
    expect(data).toMatchObject({ total: 0, results: [] });
    expect(text).not.toContain(CODEX_ID);
  }
  const kept = join(home.path, ".continuo/trash", trashId);
  const files = readdirSync(kept, { recursive: true, encoding: "utf8" }).map((name) => join(kept, name));
  const names = [CODEX_ID, `codex:${CODEX_ID}`, `trash:${trashId}`, trashId, kept, ...files];
  for (const session of names) {
    for (const tool of ["read", "digest", "recall"]) {
      const { text, isError } = await mcp.call(tool, { session });
      expect([tool, session, isError, text]).toEqual([
        tool,
        session,
        true,
        expect.stringMatching(/^not_found: /u),
      ]);
    }
  }
});

test("a session whose file an exclude pattern names is neither found nor read", async () => {
  writeSessions(home);
  home.write(".continuo/continuo.yaml", `index: { exclude: ["~/.codex/**"] }`);
  await using mcp = openMcp(home);
  expect((await mcp.call("grep", { pattern: "Hello Codex" })).data.total).toBe(0);
  expect((await mcp.call("search", { query: "build" })).data.total).toBe(1);
  const excluded = { isError: true, text: expect.stringMatching(/^not_found: /u) };
  expect(await mcp.call("read", { session: `codex:${CODEX_ID}` })).toMatchObject(excluded);
  // A session that is no longer excluded is read again.
  home.write(".continuo/continuo.yaml", "");
  expect((await mcp.call("grep", { pattern: "Hello Codex" })).data.total).toBe(1);
});

test("a name of a sub-agent that is not inside of the session's file shows nothing", async () => {
  writeSessions(home);
  await using mcp = openMcp(home);
  const session = `${join(home.path, claudeFile(CLAUDE_ID))}#nobody`;
  for (const tool of ["read", "digest"]) {
    const { text, isError } = await mcp.call(tool, { session });
    expect([isError, text]).toEqual([true, expect.stringMatching(/^not_found: /u)]);
  }
});

test.each([
  ["claude/subagent", ".claude"],
  ["gemini/subagent", ""],
  ["opencode/sub-agent", ".local/share"],
])(
  "what a sub-agent of %s said is found, and read by the name that the result gives",
  async (name, folder) => {
    cpSync(join(FIXTURES, name, "home"), join(home.path, folder), { recursive: true });
    await using mcp = openMcp(home);
    const { data } = await mcp.call("grep", { pattern: ".", maxTokens: 20_000 });
    const sessions = new Set<string>(data.results.map(({ session }: { session: string }) => session));
    expect(sessions.size).toBe(2);
    for (const session of sessions) {
      const read = await mcp.call("read", { session });
      expect([read.isError, read.text]).toEqual([false, expect.anything()]);
      expect(read.data.turns.length).toBeGreaterThan(0);
    }
  },
);

test("an archived session is found and read", async () => {
  writeSessions(home);
  const marks = claudeFile(CLAUDE_ID).replace(/\.jsonl$/u, "/archived.json");
  home.write(marks, '{"archived":true,"at":"2026-01-01T00:00:00Z","by":"user"}');
  await using mcp = openMcp(home);
  const { data } = await mcp.call("search", { query: "build" });
  expect(data.results).toMatchObject([{ session: `claude:${CLAUDE_ID}` }]);
  expect((await mcp.call("read", { session: data.results[0].session })).isError).toBe(false);
});

test("an archived session whose id is no plain word is read by its place", async () => {
  writeSessions(home);
  const location = `.codex/archived_sessions/rollout-2025-01-05T10-00-00-${CODEX_ID}.jsonl`;
  const [found = ""] = readdirSync(join(home.path, ".codex/sessions"), {
    recursive: true,
    encoding: "utf8",
  }).filter((name) => name.endsWith(`${CODEX_ID}.jsonl`));
  mkdirSync(join(home.path, ".codex/archived_sessions"), { recursive: true });
  renameSync(join(home.path, ".codex/sessions", found), join(home.path, location));
  await using mcp = openMcp(home);
  expect((await mcp.call("read", { session: join(home.path, location) })).isError).toBe(false);
});

test("invisible characters in the name of a missing session are spelled out", async () => {
  await using mcp = openMcp(home);
  const { text, isError } = await mcp.call("read", { session: "abc\u202edef" });
  expect([isError, text]).toEqual([true, expect.stringMatching(/^not_found: /u)]);
  expect(text).not.toContain("\u202e");
});

test("one of Continuo's own is found as one conversation with its native session, and no longer when it is deleted", async () => {
  writeSessions(home);
  await using store = await openStore(`sqlite:${join(home.path, ".continuo/continuo.db")}`);
  const ref = {
    sessionId: CODEX_ID,
    model: null,
    location: null,
    baseSequence: 1,
    verifiedAt: null,
    state: "live",
  };
  await store.createSession({ sessionId: OWN_ID, metadata: { providerSessions: { codex: ref } } });
  const data = { content: "Hello capybara" };
  await store.append(OWN_ID, [{ id: "m1", type: "message_sent", actor: { kind: "person" }, data }]);
  await using mcp = openMcp(home);
  const found = await mcp.call("search", { query: "hello" });
  expect(found.data.results).toMatchObject([{ session: `continuo:${OWN_ID}`, excerpt: "Hello capybara" }]);
  expect((await mcp.call("read", { session: `continuo:${OWN_ID}` })).text).toContain("capybara");
  await store.deleteSession(OWN_ID, { reason: "a test" });
  expect((await mcp.call("search", { query: "capybara" })).data.total).toBe(0);
  expect((await mcp.call("read", { session: `continuo:${OWN_ID}` })).isError).toBe(true);
});
