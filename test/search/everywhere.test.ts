/**
 * The sessions that are searched in addition to those of a list: sub-agents, archived and deleted sessions, and
 * Continuo's own.
 */

import { appendFileSync, cpSync } from "node:fs";
import { join } from "node:path";
import { emptyTrash, type Places, trashNativeSession } from "@continuo/agents";
import { openStore } from "@continuo/store";
import { beforeEach, expect, test } from "vitest";
import {
  CLAUDE_ID,
  CODEX_ID,
  claudeFile,
  claudeText,
  createHome,
  type Home,
  writeSessions,
} from "../cli/home.ts";
import { runHere } from "../cli/in-process.ts";

const FIXTURES = join(import.meta.dirname, "../fixtures");
const OWN_ID = "01999999-2222-7000-8000-000000000001";

let home: Home;
let places: Places;
beforeEach(() => {
  home = createHome();
  places = { home: home.path, env: {} };
});

/** The home of an agent in a case, in a folder of this home. */
function copyCase(name: string, folder: string): void {
  cpSync(join(FIXTURES, name, "home"), join(home.path, folder), { recursive: true });
}

interface Result {
  readonly session: Readonly<Record<string, unknown>>;
  readonly excerpt: { readonly pieces: readonly { readonly text: string }[] };
  readonly link: string;
}

async function find(...words: readonly string[]): Promise<readonly Result[]> {
  const { stdout } = await runHere(home, ["search", "--json", "--all", ...words]);
  const { results, unsearched, unreadable } = JSON.parse(stdout);
  expect({ unsearched, unreadable }).toEqual({ unsearched: 0, unreadable: [] });
  return results;
}

/** Opens the link of a result, and returns the turn that it shows. */
async function opened({ link }: Result): Promise<string> {
  const { code, stdout, stderr } = await runHere(home, link.split(" ").slice(1));
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
}

/** Removes white space: an excerpt is one line, and a turn has several. */
function packed(text: string): string {
  return text.replace(/[\s…]+/gu, "");
}

test.each([
  ["claude/subagent", ".claude"],
  ["gemini/subagent", ""],
  ["opencode/sub-agent", ".local/share"],
])(
  "a search finds messages of sub-agents of %s, names their session, and its link opens them",
  async (name, folder) => {
    copyCase(name, folder);
    const results = await find("--regex", ".");
    const parents = results.filter(({ session }) => session.parentId === null);
    const subagents = results.filter(({ session }) => session.parentId !== null);
    expect(parents).toHaveLength(1);
    expect(subagents).toHaveLength(1);
    expect(subagents[0]?.session.parentId).toBe(parents[0]?.session.sessionId);
    for (const result of results) {
      const text = result.excerpt.pieces.map((piece) => piece.text).join("");
      expect(packed(await opened(result))).toContain(packed(text).slice(0, 20));
    }
  },
);

test("a sub-agent inside of its session's file, beside it in the old way, and a spawned thread of Codex are found", async () => {
  writeSessions(home);
  const said = (uuid: string, content: string): Parameters<typeof claudeText>[1][number] => {
    return { uuid, parent: null, role: "user", content, time: "11:00:00" };
  };
  const inline = claudeText(CLAUDE_ID, [said("s1", "Count the walruses")]);
  const path = join(home.path, claudeFile(CLAUDE_ID));
  appendFileSync(path, inline.replace('"isSidechain":false', '"isSidechain":true'));
  home.write(claudeFile("agent-77"), claudeText(CLAUDE_ID, [said("s2", "Count the narwhals")]));
  const id = "01999999-1111-7222-8333-000000000009";
  const meta = {
    id,
    timestamp: "2025-01-06T08:00:00.000Z",
    cwd: "/w",
    originator: "c",
    cli_version: "0.169.0",
  };
  const lines = [
    { type: "session_meta", payload: { ...meta, parent_thread_id: CODEX_ID } },
    {
      type: "response_item",
      payload: {
        type: "message",
        role: "user",
        content: [{ type: "input_text", text: "Count the belugas" }],
      },
    },
  ];
  home.write(
    `.codex/sessions/2025/01/06/rollout-2025-01-06T08-00-01-${id}.jsonl`,
    lines.map((line) => `${JSON.stringify({ timestamp: meta.timestamp, ...line })}\n`).join(""),
  );
  for (const [word, parentId] of [
    ["walruses", CLAUDE_ID],
    ["narwhals", CLAUDE_ID],
    ["belugas", CODEX_ID],
  ] as const) {
    const [result, ...more] = await find(word);
    expect({ word, parentId: result?.session.parentId, more }).toEqual({ word, parentId, more: [] });
    if (result !== undefined) expect(await opened(result)).toContain(word);
  }
  // In the list, these sessions are details of their parent sessions.
  expect(JSON.parse((await runHere(home, ["session", "list", "--json"])).stdout)).toHaveLength(3);
});

test("an archived session is found, and marked", async () => {
  copyCase("codex/archived", ".codex");
  const results = await find("--regex", ".");
  expect(results.map(({ session }) => session.archived)).toContain(true);
  expect((await runHere(home, ["search", "--regex", "."])).stdout).toContain("archived");
});

test.each([
  ["claude/subagent", ".claude", 1],
  ["codex/compressed", ".codex", 0],
  ["gemini/subagent", "", 1],
  ["opencode/sub-agent", ".local/share", 1],
])(
  "a deleted session of %s is found while it is in the trash, and not afterwards",
  async (name, folder, subagents) => {
    copyCase(name, folder);
    const before = await find("--regex", ".");
    const [main] = before.filter(({ session }) => session.parentId === null);
    if (main === undefined) throw new Error("no session");
    const shown = await opened(main);
    const { trashId } = await trashNativeSession(`${main.session.agent}:${main.session.sessionId}`, {
      places,
    });
    const after = await find("--regex", ".");
    expect(after.filter(({ session }) => session.trashId === null)).toHaveLength(
      before.length - 1 - subagents,
    );
    const deleted = after.find(({ session }) => session.trashId === trashId);
    expect(deleted?.session).toMatchObject({
      sessionId: main.session.sessionId,
      location: main.session.location,
    });
    if (deleted === undefined) throw new Error("it was not found");
    expect(deleted.link).toContain(`trash:${trashId}`);
    expect(packed(await opened(deleted)).slice(0, 200)).toBe(packed(shown).slice(0, 200));
    expect((await runHere(home, ["search", "--regex", "."])).stdout).toContain("in the trash");
    expect((await runHere(home, ["open", "1"])).code).toBe(0);
    // The temporary copies for reading are removed, and the session is restored unchanged.
    expect((await runHere(home, ["session", "restore", trashId])).code).toBe(0);
    expect((await find("--regex", ".")).map(({ link }) => link).sort()).toEqual(
      before.map(({ link }) => link).sort(),
    );
    await trashNativeSession(`${main.session.agent}:${main.session.sessionId}`, { places });
    emptyTrash({ places });
    expect((await find("--regex", ".")).filter(({ session }) => session.trashId !== null)).toEqual([]);
  },
);

test("a session of Continuo's own is found with its native session as one conversation, and again after it grew", async () => {
  writeSessions(home);
  const database = join(home.path, ".continuo/continuo.db");
  await using store = await openStore(`sqlite:${database}`);
  const ref = {
    sessionId: CODEX_ID,
    model: null,
    location: null,
    baseSequence: 1,
    verifiedAt: null,
    state: "live",
  };
  await store.createSession({
    sessionId: OWN_ID,
    cwd: "/home/ann/tool",
    metadata: { providerSessions: { codex: ref } },
  });
  const say = async (id: string, content: string): Promise<void> => {
    await store.append(OWN_ID, [{ id, type: "message_sent", actor: { kind: "person" }, data: { content } }]);
  };
  await say("m1", "Hello capybara");
  const [first, ...more] = await find("hello");
  expect([first?.session.agent, more]).toEqual(["continuo", []]);
  if (first === undefined) throw new Error("it was not found");
  expect(first.link).toMatch(new RegExp(`^continuo open continuo:${OWN_ID} --message `, "u"));
  expect(await opened(first)).toContain("capybara");
  // Only Codex's part contains the word.
  expect((await find("role:assistant", "hello")).map(({ session }) => session.agent)).toEqual(["codex"]);
  await say("m2", "Now an axolotl");
  expect(await find("axolotl")).toHaveLength(1);
  expect(await find("agent:continuo", "capybara")).toHaveLength(1);
  await store.deleteSession(OWN_ID, { reason: "a test" });
  expect(await find("capybara")).toEqual([]);
});

test("a search answers from one workspace of the store, and never from another", async () => {
  writeSessions(home);
  await using store = await openStore(`sqlite:${join(home.path, ".continuo/continuo.db")}`);
  const other = store.forWorkspace("another");
  await other.createSession({ sessionId: OWN_ID });
  const event = {
    type: "message_sent",
    actor: { kind: "person" },
    data: { content: "a secret okapi" },
  } as const;
  await other.append(OWN_ID, [event]);
  expect(await find("okapi")).toEqual([]);
  await store.createSession({ sessionId: OWN_ID });
  await store.append(OWN_ID, [{ ...event, data: { content: "our own okapi" } }]);
  const [only, ...more] = await find("okapi");
  expect([only?.excerpt.pieces.map(({ text }) => text).join(""), more]).toEqual(["our own okapi", []]);
});
