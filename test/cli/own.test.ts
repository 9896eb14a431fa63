/** Continuo's own sessions together with native ones, with each command as a process. */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Store } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { builtViewer } from "../sizes/shared-programs.ts";
import { CLAUDE_ID, CODEX_ID, claudeFile, createHome, HOSTILE_ID, type Home, writeSessions } from "./home.ts";
import { runHere } from "./in-process.ts";

const BOTH = "01999999-2222-7000-8000-000000000001";
const ALONE = "01888888-0000-7000-8000-000000000002";

let home: Home;
let database: string;

beforeAll(builtViewer);
beforeEach(() => {
  home = createHome();
  writeSessions(home);
  database = join(home.path, ".continuo/continuo.db");
});

async function inStore<T>(work: (store: Store) => Promise<T>): Promise<T> {
  await using store = await openStore(`sqlite:${database}`);
  return await work(store);
}

/** One session also exists in Claude Code and Codex, and the other in no agent. */
async function makeOwn(): Promise<void> {
  await inStore(async (store) => {
    const ref = { model: null, location: null, baseSequence: 1, verifiedAt: null, state: "live" };
    await store.createSession({
      sessionId: BOTH,
      cwd: "/home/ann/app",
      metadata: {
        providerSessionId: CLAUDE_ID,
        providerSessions: {
          claude: { ...ref, sessionId: CLAUDE_ID, cwd: "/home/ann/app" },
          codex: { ...ref, sessionId: "gone" },
          odd: 3,
        },
      },
    });
    await store.append(BOTH, [
      { id: "m1", type: "message_sent", actor: { kind: "person" }, data: { content: "Build\u001b[2J it" } },
      {
        id: "t1",
        type: "tool_call_started",
        actor: { kind: "agent" },
        data: { toolCallId: "c", toolName: "Bash", toolInput: { command: "make" } },
      },
      {
        id: "t2",
        type: "tool_call_completed",
        actor: { kind: "agent" },
        data: { toolCallId: "c", toolOutput: "ok" },
      },
      {
        id: "m2",
        type: "message_received",
        actor: { kind: "agent" },
        data: { content: "Built.", model: "model-a", usage: { inputTokens: 5 } },
      },
    ]);
    await store.createSession({ sessionId: ALONE, title: "Alone" });
  });
}

/** The conversation that is native and Continuo's, in an existing folder, after an answer of this agent. */
async function speakWith(agent: string): Promise<void> {
  const text = readFileSync(join(home.path, claudeFile(CLAUDE_ID)), "utf8");
  writeFileSync(join(home.path, claudeFile(CLAUDE_ID)), text.replaceAll("/home/ann/app", home.path));
  await inStore(async (store) => {
    await store.updateSession(BOTH, { agent });
  });
}

async function list(...args: readonly string[]): Promise<{ readonly [key: string]: unknown }[]> {
  const { stdout, stderr, code } = await runHere(home, ["session", "list", "--json", ...args]);
  expect([stderr, code]).toEqual(["", 0]);
  return JSON.parse(stdout);
}

const idsOf = async (...args: readonly string[]) => (await list(...args)).map(({ sessionId }) => sessionId);

describe("session list", () => {
  test("makes no store", async () => {
    await list();
    expect(existsSync(database)).toBe(false);
  });

  test("a conversation that is both native and Continuo's is one row, the one of Continuo, with the native references", async () => {
    await makeOwn();
    const rows = await list();
    expect(rows.map(({ agent, sessionId }) => `${agent}:${sessionId}`)).toEqual([
      `continuo:${ALONE}`,
      `continuo:${BOTH}`,
      `codex:${CODEX_ID}`,
      `claude:${HOSTILE_ID}`,
    ]);
    expect(rows[0]?.title).toBe("Alone");
    expect(rows[1]).toEqual({
      agent: "continuo",
      sessionId: BOTH,
      title: "Fix the build",
      cwd: "/home/ann/app",
      gitBranch: null,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      sizeBytes: null,
      archived: false,
      incomplete: false,
      live: null,
      movedTo: null,
      location: `${database}#${BOTH}`,
      problems: [],
      nativeRefs: [
        { agent: "claude", sessionId: CLAUDE_ID, location: null, cwd: "/home/ann/app" },
        { agent: "codex", sessionId: "gone", location: null, cwd: null },
      ],
      pinned: false,
      tags: [],
    });
    const { stdout } = await runHere(home, []);
    expect(stdout).toContain(`continuo (claude, codex)\t${BOTH}\tFix the build\t`);
    expect(stdout).toMatch(/^continuo\t01888888-\S+\tAlone\t/mu);
  });

  test.each<[string[], string[]]>([
    [
      ["--agent", "continuo"],
      [ALONE, BOTH],
    ],
    [
      ["--agent", "claude"],
      [BOTH, HOSTILE_ID],
    ],
    [
      ["--agent", "codex"],
      [BOTH, CODEX_ID],
    ],
    [["--agent", "gemini"], []],
    [
      ["--cwd", "/home/ann/app"],
      [BOTH, HOSTILE_ID],
    ],
    [["--limit", "1"], [ALONE]],
    [
      ["--limit", "3"],
      [ALONE, BOTH, CODEX_ID],
    ],
    [
      ["--since", "1h"],
      [ALONE, BOTH],
    ],
  ])("%j", async (flags, ids) => {
    await makeOwn();
    expect(await idsOf(...flags)).toEqual(ids);
  });

  test("a store that cannot be read is an error, and the other sessions are listed", async () => {
    home.write(".continuo/continuo.db", "a file that is not a database, whatever its name is");
    const { stdout, stderr, code } = await runHere(home, ["session", "list", "--json"]);
    expect((JSON.parse(stdout) as unknown[]).length).toBe(3);
    expect(stderr).toContain("Continuo's own sessions cannot be listed: ");
    expect(code).not.toBe(0);
  });
});

describe("one of Continuo's own", () => {
  beforeEach(makeOwn);

  test("show, export and info read its transcript", async () => {
    const shown = JSON.parse((await runHere(home, ["show", BOTH, "--json"])).stdout);
    expect(shown).toMatchObject({ agent: "continuo", sessionId: BOTH, problems: [] });
    expect(shown.messages.map(({ role }: { role: string }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "assistant",
    ]);
    const text = (await runHere(home, ["show", `continuo:${BOTH}`])).stdout;
    expect(text).toContain("Built.");
    expect(text).not.toContain("\u001b");
    expect((await runHere(home, ["export", BOTH, "--format", "html"])).stdout).toContain(
      '<p class="dim"><bdi>continuo</bdi> · <bdi>model-a</bdi>',
    );
    const info = JSON.parse((await runHere(home, ["session", "info", BOTH.slice(0, 10), "--json"])).stdout);
    expect(info).toMatchObject({
      agent: "continuo",
      messages: { total: 4, user: 1, assistant: 2, tool: 1, system: 0 },
      toolCalls: 1,
      branches: 1,
      models: ["model-a"],
      subagents: [],
      nativeRefs: [{ agent: "claude" }, { agent: "codex" }],
    });
    expect((await runHere(home, ["session", "info", BOTH])).stdout).toContain(`claude:${CLAUDE_ID}`);
  });

  test("the beginning of an id that also begins a native id is ambiguous, and the native session can still be named", async () => {
    const both = await runHere(home, ["show", "01999999", "--json"]);
    expect(both.code).toBe(1);
    expect(JSON.parse(both.stderr).error.details.matches).toEqual([
      expect.objectContaining({ agent: "continuo", sessionId: BOTH, location: `${database}#${BOTH}` }),
      expect.objectContaining({ agent: "codex", sessionId: CODEX_ID }),
    ]);
    for (const id of [CLAUDE_ID, CLAUDE_ID.slice(0, 9), `claude:${CLAUDE_ID}`]) {
      expect(JSON.parse((await runHere(home, ["show", id, "--json"])).stdout)).toMatchObject({
        agent: "claude",
      });
    }
    expect((await runHere(home, ["show", "continuo:01999999", "--json"])).code).toBe(0);
    for (const id of ["continuo:ffff", "ffff"]) expect((await runHere(home, ["show", id])).code).toBe(3);
  });

  test("check recomputes its hashes", async () => {
    const fine = await runHere(home, ["check", ALONE, "--json"]);
    expect([fine.code, JSON.parse(fine.stdout)]).toEqual([
      0,
      [{ agent: "continuo", sessionId: ALONE, location: `${database}#${ALONE}`, problems: [] }],
    ]);
    const bytes = readFileSync(database);
    bytes.set(Buffer.from("Built!"), bytes.indexOf("Built."));
    writeFileSync(database, bytes);
    const { code, stdout } = await runHere(home, ["check", "--json"]);
    expect(code).toBe(4);
    const checks: { sessionId: string; problems: unknown[] }[] = JSON.parse(stdout);
    expect(checks.length).toBe(5);
    expect(checks.find(({ sessionId }) => sessionId === BOTH)?.problems).toEqual([
      expect.objectContaining({
        code: "changed_event",
        severity: "damage",
        message: expect.stringMatching(/^event 5: /u),
      }),
    ]);
  });

  test("deletion is final, so it is refused without a confirmation; the native sessions stay", async () => {
    const refused = await runHere(home, ["delete", BOTH]);
    expect([refused.code, await idsOf("--agent", "continuo")]).toEqual([2, [ALONE, BOTH]]);
    const { stdout, code } = await runHere(home, ["delete", BOTH, ALONE, "--yes", "--json"]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual([
      { id: BOTH, trashed: null, deleted: expect.objectContaining({ sessionId: BOTH }), error: null },
      { id: ALONE, trashed: null, deleted: expect.objectContaining({ sessionId: ALONE }), error: null },
    ]);
    expect(await idsOf()).toEqual([CODEX_ID, CLAUDE_ID, HOSTILE_ID]);
    expect(existsSync(join(home.path, claudeFile(CLAUDE_ID)))).toBe(true);
  });

  test("deletion is refused while the session runs, and while forks of it exist that are not deleted too", async () => {
    const fork = await inStore(async (store) => {
      await store.acquireLease(`session/${ALONE}`, { owner: "me", ttlMs: 60_000 });
      return (await store.createSession({ parentId: BOTH })).sessionId;
    });
    const { code, stdout } = await runHere(home, ["delete", BOTH, ALONE, "--yes", "--json"]);
    expect(code).toBe(5);
    const errors = (JSON.parse(stdout) as { error: { code: string } | null }[]).map(
      ({ error }) => error?.code,
    );
    expect(errors).toEqual(["has_forks", "session_live"]);
    expect((await runHere(home, ["delete", BOTH, fork, "--yes"])).code).toBe(0);
    expect(await idsOf("--agent", "continuo")).toEqual([ALONE]);
  });

  test("handoff makes its messages a native session, with a receipt; a trial run writes nothing", async () => {
    const args = ["handoff", BOTH, "--to", "claude", "--cwd", home.path, "--no-verify", "--json"];
    const tried = JSON.parse((await runHere(home, [...args, "--dry-run"])).stdout);
    expect(tried).toMatchObject({ agent: "claude", sessionId: null, verification: null });
    expect(await idsOf("--agent", "claude")).toEqual([BOTH, HOSTILE_ID]);
    const made = JSON.parse((await runHere(home, args)).stdout);
    expect(made.receipt).toEqual(tried.receipt);
    expect(made.verification).toMatchObject({ by: "continuo", outcome: "same" });
    const { messages } = JSON.parse((await runHere(home, ["show", made.sessionId, "--json"])).stdout);
    expect(messages.map(({ role }: { role: string }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "assistant",
    ]);
    const part = await runHere(home, [...args, "--max-messages", "1"]);
    expect(JSON.parse(part.stdout).receipt.noted).toBeGreaterThan(0);
    const lossy = await runHere(home, [...args, "--max-messages", "1", "--max-loss", "text=0"]);
    expect(lossy.code).toBe(6);
    expect((await runHere(home, ["handoff", ALONE, "--to", "pi", "--json"])).code).toBe(2);
  });

  test("resume starts the native session of the agent that answered last, in its folder", async () => {
    await speakWith("claude");
    const { code, stdout, stderr } = await runHere(home, ["resume", BOTH, "--print"]);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: `cd ${home.path} && claude --resume ${CLAUDE_ID}\n`,
      stderr: "perhaps cold · 1,000 tokens · no price for model-a\n",
    });
    expect((await runHere(home, ["resume", BOTH, "--agent", "claude", "--print"])).stdout).toBe(stdout);
  });

  test("resume last:AGENT starts that agent's session, and reports if another agent answered since", async () => {
    await speakWith("codex");
    const { code, stdout, stderr } = await runHere(home, ["resume", "last:claude", "--print"]);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: `cd ${home.path} && claude --resume ${CLAUDE_ID}\n`,
      stderr: `codex answered since, which claude does not know: \`continuo resume ${BOTH} --agent claude\` tells it everything\nperhaps cold · 1,000 tokens · no price for model-a\n`,
    });
  });

  test("resume lists the alternatives if the last agent has no native session of the conversation", async () => {
    await speakWith("codex");
    const { code, stderr } = await runHere(home, ["resume", BOTH]);
    expect(code).toBe(1);
    expect(stderr).toContain(`cannot resume ${BOTH}: codex has no session of it`);
    expect(stderr).toContain(`\`continuo resume claude:${CLAUDE_ID}\``);
  });

  test("completion offers it", async () => {
    const { stdout } = await runHere(home, ["complete-words", "--", "session", "show", "0188"]);
    expect(stdout).toBe(`${ALONE}\tcontinuo: Alone\n`);
  });

  test("rename gives it another title", async () => {
    expect(await runHere(home, ["session", "rename", ALONE, "Not  alone"])).toMatchObject({ code: 0 });
    expect((await list("--agent", "continuo")).map(({ title }) => title)).toContain("Not alone");
  });
});
