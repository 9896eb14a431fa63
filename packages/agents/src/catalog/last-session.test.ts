import type { AgentDriver } from "@continuo/core/model";
import type { PlacesAt } from "@continuo/files";
import { type OpenedStore, openStore } from "@continuo/store";
import { afterEach, beforeEach, expect, test } from "vitest";
import { claudeFile, claudeText, cleanEnv, createHome, type Home } from "../../../../test/cli/home.ts";
import { lastSession } from "./last-session.ts";
import { listCatalog } from "./list.ts";
import { readOwn } from "./store.ts";

let home: Home;
let places: PlacesAt;
let store: OpenedStore;
beforeEach(async () => {
  home = createHome();
  places = { home: home.path, cwd: home.path, env: cleanEnv(home.path) };
  store = await openStore("memory:");
});
afterEach(() => store.close());

async function last(): Promise<string | null> {
  const { row } = await lastSession({}, { places, store: readOwn(store) });
  return row === null ? null : `${row.agent}:${row.sessionId}`;
}

const numbered = (at: number): string => `4bf3eeee-0000-4000-8000-${String(at).padStart(12, "0")}`;

/** A session of Claude Code in which a person said something. */
function writeClaude(id: string, time = "10:00:00"): void {
  const line = { uuid: `u-${id}`, parent: null, role: "user", content: "Fix the build", time } as const;
  home.write(claudeFile(id), claudeText(id, [line]));
}

/** One of Continuo's own sessions that has a title, and in which nothing happened yet. */
async function createEmpty(sessionId: string): Promise<void> {
  await store.createSession({ sessionId, title: "Planned for tomorrow", cwd: home.path });
}

test("the last session is the newest one with a message, even if many empty ones are newer", async () => {
  expect(await last()).toBeNull();
  writeClaude(numbered(1));
  expect(await last()).toBe(`claude:${numbered(1)}`);
  for (let at = 0; at < 20; at++) await createEmpty(`empty-${at}`);
  expect(await last()).toBe(`claude:${numbered(1)}`);
  await store.append("empty-3", [{ type: "message_sent", data: { content: "Now it begins" } }]);
  expect(await last()).toBe("continuo:empty-3");
});

test("a question without an answer counts, and so does an answer whose question is elsewhere", async () => {
  writeClaude(numbered(1));
  await createEmpty("asked");
  await store.append("asked", [{ type: "message_sent", data: { content: "Why?" } }]);
  expect(await last()).toBe("continuo:asked");
  await createEmpty("answered");
  await store.append("answered", [{ type: "message_received", data: { content: "Because." } }]);
  expect(await last()).toBe("continuo:answered");
});

test("a conversation whose words are in the agent's own session counts, unless that session is gone", async () => {
  writeClaude(numbered(1));
  writeClaude(numbered(2), "11:00:00");
  const joined = async (sessionId: string, native: string): Promise<void> => {
    const metadata = { providerSessions: { claude: { sessionId: native } } };
    await store.createSession({ sessionId, title: "Taken up", cwd: home.path, metadata });
  };
  await joined("gone", numbered(9));
  expect(await last()).toBe(`claude:${numbered(2)}`);
  await joined("taken", numbered(1));
  expect(await last()).toBe("continuo:taken");
});

test("an agent's session that only has a title is not the last one", async () => {
  writeClaude(numbered(1));
  const line = { uuid: "u", parent: null, role: "user", content: "Caveat", time: "12:00:00" } as const;
  const notice = claudeText(numbered(2), [line]).replace('"type":"user"', '"isMeta":true,"type":"user"');
  const title = { type: "custom-title", customTitle: "Release 2", sessionId: numbered(2) };
  home.write(claudeFile(numbered(2)), `${notice}${JSON.stringify(title)}\n`);
  const { sessions } = await listCatalog({ empty: "exclude" }, { places, store: readOwn(store) });
  expect(sessions.map((row) => row.title)).toEqual(["Release 2", "Fix the build"]);
  expect(await last()).toBe(`claude:${numbered(1)}`);
});

test("a session that only its agent can read counts as having messages", async () => {
  writeClaude(numbered(1));
  const row = { sessionId: "far", cwd: null, title: null, updatedAt: "2030-01-01T00:00:00.000Z" };
  const listSessions = async (): Promise<object> => ({ items: [row], nextCursor: null });
  const driver = { agent: "scripted", listSessions } as unknown as AgentDriver;
  const found = await lastSession({ drivers: [driver] }, { places, store: readOwn(store) });
  expect(found.row).toMatchObject({ agent: "scripted", sessionId: "far" });
});
