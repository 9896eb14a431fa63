/** `--continue` returns to the newest session that has a message, and a failed attempt leaves nothing behind. */

import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { lookUp } from "@continuo/agents/catalog";
import { openTalk } from "@continuo/agents/conversations";
import type { AgentName, SessionInfo } from "@continuo/core/model";
import type { Json } from "@continuo/files";
import { formatOf } from "@continuo/native";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { lastOrigin } from "../../packages/agents/src/conversations/origin.ts";
import { lastSession } from "../../packages/agents/src/drivers/link/last-session.ts";
import { CLAUDE_ID, claudeFile, cleanEnv, writeSessions } from "../cli/home.ts";
import { createTalkHome } from "../cli/talk.ts";
import { copyHome } from "../fixture-home.ts";
import { scratchFolder } from "../scratch-folder.ts";

const NEW_ID = "0f0f0f0f-1111-4222-8333-444444444444";
const NOW = "2027-01-01T00:00:00.000Z";

function headOf({ location }: SessionInfo): Json {
  return JSON.parse(readFileSync(location, "utf8").split("\n")[0] ?? "");
}

function writeLines(path: string, ...records: readonly unknown[]): void {
  writeFileSync(path, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
}

/** A newer session in the same folder, which has a title and no message. */
const NAMED: Readonly<Record<AgentName, (spoken: SessionInfo) => void>> = {
  claude({ location }) {
    const record = { type: "custom-title", customTitle: "A name", sessionId: NEW_ID };
    writeLines(join(dirname(location), `${NEW_ID}.jsonl`), record);
  },
  codex(spoken) {
    const { payload, ...head } = headOf(spoken);
    const record = { ...head, timestamp: NOW, payload: { ...(payload as Json), id: NEW_ID, timestamp: NOW } };
    writeLines(join(dirname(spoken.location), `rollout-2027-01-01T00-00-00-${NEW_ID}.jsonl`), record);
    const index = join(spoken.location.split("/sessions/")[0] ?? "", "session_index.jsonl");
    appendFileSync(index, `${JSON.stringify({ id: NEW_ID, thread_name: "A name", updated_at: NOW })}\n`);
  },
  gemini(spoken) {
    const head = { ...headOf(spoken), sessionId: NEW_ID, startTime: NOW, lastUpdated: NOW };
    const path = join(dirname(spoken.location), `session-2027-01-01T00-00-${NEW_ID}.jsonl`);
    writeLines(path, head, { $set: { summary: "A name" } });
  },
  pi(spoken) {
    const name = { type: "session_info", id: "00000001", parentId: null, timestamp: NOW, name: "A name" };
    const path = join(dirname(spoken.location), `2027-01-01T00-00-00-000Z_${NEW_ID}.jsonl`);
    writeLines(path, { ...headOf(spoken), id: NEW_ID, timestamp: NOW }, name);
  },
  opencode({ location, sessionId }) {
    using database = new DatabaseSync(location.split("#")[0] ?? "");
    const row = database.prepare("select * from session where id = ?").get(sessionId) as Record<
      string,
      unknown
    >;
    const named = { ...row, id: "ses_named", title: "A name", time_updated: Date.parse(NOW) };
    const columns = Object.keys(named);
    const into = `insert into session (${columns.join(", ")}) values (${columns.map(() => "?").join(", ")})`;
    database.prepare(into).run(...(Object.values(named) as string[]));
  },
  copilot(spoken) {
    const { data, ...head } = headOf(spoken);
    const folder = join(dirname(dirname(spoken.location)), NEW_ID);
    mkdirSync(folder);
    const named = { ...(data as Json), sessionId: NEW_ID, startTime: NOW };
    writeLines(join(folder, "events.jsonl"), { ...head, timestamp: NOW, data: named });
    writeFileSync(join(folder, "workspace.yaml"), `id: ${NEW_ID}\nname: A name\nuser_named: true\n`);
  },
};

test.each([
  ["claude", "text-and-thinking"],
  ["codex", "title"],
  ["gemini", "text-and-thinking"],
  ["pi", "text-and-thinking"],
  ["opencode", "text-and-thinking"],
  ["copilot", "text-and-thinking"],
] as const)("a newer session of %s that has only a title is not the last one", async (agent, name) => {
  const scratch = scratchFolder("last");
  const home = await copyHome(scratch, [agent, name]);
  const [spoken] = home.sessions;
  if (spoken === undefined || spoken.cwd === null) throw new Error("the case has no session");
  NAMED[agent](spoken);
  const places = { ...home.places, cwd: spoken.cwd };
  const reader = await formatOf(agent);
  const found = await Array.fromAsync(reader.find(places, { cwd: spoken.cwd }));
  expect(found).toHaveLength(2);

  await using store = await openStore("memory:");
  const where = { cwd: spoken.cwd, agent: null, lister: null };
  expect(await lastOrigin({ store, places }, where)).toMatchObject({
    found: { sessionId: spoken.sessionId },
  });
  const named = await lookUp("last", { places, store: null, examples: "without examples" });
  expect(named).toMatchObject({ native: { found: { sessionId: spoken.sessionId } } });
  const lister = { agent, list: async () => [] };
  expect(await lastSession(lister, { cwd: spoken.cwd }, { places, reader })).toMatchObject({
    sessionId: spoken.sessionId,
  });
});

test("a session of Continuo's without a message is not the last one", async () => {
  await using store = await openStore("memory:");
  const cwd = scratchFolder("last");
  const { sessionId } = await store.createSession({ cwd, title: "spoken" });
  await store.append(sessionId, [{ type: "message_sent", data: { content: "hello" } }]);
  await store.createSession({ cwd, title: "only a title" });
  const places = { home: cwd, cwd, env: {} };
  const origin = await lastOrigin({ store, places }, { cwd, agent: null, lister: null });
  expect(origin).toMatchObject({ session: { sessionId } });
});

const options = { onEvent: async () => undefined, signal: new AbortController().signal };

test("a failed first turn leaves no copy of an agent's session, and the next turn gets all of it", async () => {
  using home = createTalkHome();
  writeSessions(home);
  const folder = join(home.path, "project");
  const file = claudeFile(CLAUDE_ID);
  const text = readFileSync(join(home.path, file), "utf8").replaceAll("/home/ann/app", folder);
  const place = `.claude/projects/${folder.replaceAll(/[^a-zA-Z0-9]/gu, "-")}`;
  mkdirSync(join(home.path, place), { recursive: true });
  home.write(`${place}/${CLAUDE_ID}.jsonl`, text);
  const { agents } = JSON.parse(readFileSync(join(home.path, ".continuo/continuo.yaml"), "utf8"));
  const claude = { ...agents.robot, transport: "acp", session: { on_missing: "replay" } };
  home.write(".continuo/continuo.yaml", JSON.stringify({ agents: { claude } }));

  const url = `sqlite:${join(home.path, "sessions.db")}`;
  await using talk = await openTalk({
    flags: { continue: true },
    places: { home: home.path, cwd: folder, env: cleanEnv(home.path) },
    openStore: () => openStore(url),
    keepOpen: "session",
    note: () => undefined,
    onProgress: () => undefined,
  });
  const store = await talk.store();
  const failed = await talk.say("refuse", options);
  expect([failed.result.status, failed.isKept]).toEqual(["failed", false]);
  expect((await store.listSessions()).items).toEqual([]);

  // A caller with an id for its input needs the session, so that it can send the input again.
  const asked = await talk.say("refuse", { ...options, inputId: "i1" });
  expect([asked.result.status, asked.isKept]).toEqual(["failed", true]);
  expect((await store.listSessions()).items).toHaveLength(1);

  const { isKept, session } = await talk.say("go on", options);
  const copied = await store.read(session.sessionId, { types: ["message_sent"], limit: 1 });
  expect(isKept).toBe(true);
  expect(session.metadata.takenFrom).toMatchObject({ agent: "claude", sessionId: CLAUDE_ID });
  expect(copied.events[0]?.data).toMatchObject({ content: [{ type: "text", text: "Fix the build" }] });
  expect((await store.listSessions()).items).toHaveLength(1);
});
