/**
 * The real Gemini CLI holds conversations. Continuo reads the session files and computes what the model receives when
 * a session is resumed; then Gemini CLI resumes the session, and the test compares the request. The tests run in
 * order and continue each other's sessions.
 */

import { randomUUID } from "node:crypto";
import { cp, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { listNativeSessions, openNativeSession, type Places } from "@continuo/agents";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type JsonObject, type ModelServer, startModelServer } from "../../model-servers/index.ts";
import { spokenIn as allSpokenIn } from "../acp.ts";
import type { Item } from "../items.ts";
import { countKinds, expectUnchangedByReading, historyOf, LAST_WORDS, proveResumption } from "../proof.ts";
import { makeSandbox, type Sandbox } from "../sandbox.ts";
import { FILES, SAID, SCRIPT } from "./conversation.ts";
import { type Gemini, openGemini } from "./driver.ts";
import { rewindInTerminal } from "./terminal.ts";

let sandbox: Sandbox;
let server: ModelServer;
let gemini: Gemini;
let places: Places;

beforeAll(async () => {
  sandbox = await makeSandbox();
  for (const [path, content] of FILES) await sandbox.write(path, content);
  // A reverted turn makes Gemini CLI break the rules of the API.
  server = await startModelServer({ ...SCRIPT, strict: false });
  gemini = await openGemini(sandbox, server.url);
  places = { home: sandbox.root, env: { GEMINI_CLI_HOME: gemini.home } };
});

afterAll(async () => {
  await server?.close();
  await sandbox?.[Symbol.asyncDispose]();
});

/** Resumes a session with Gemini CLI, and compares the request with what Continuo reads. */
async function prove(sessionId: string): Promise<readonly Item[]> {
  const resume = (words: string) => gemini.say(words, { resume: sessionId });
  return await proveResumption({ agent: "gemini", places, sessionId, server, resume });
}

const MAIN = randomUUID();
let compacted = "";
let cancelled = "";

describe("Gemini CLI resumes what Continuo reads", () => {
  test("text, thinking, parallel calls, an error, images", async () => {
    await gemini.say(SAID.compare, { sessionId: MAIN });
    await gemini.say(SAID.look, { resume: MAIN });
    await gemini.say(SAID.lookYourself, { resume: MAIN });
    const items = await prove(MAIN);
    expect(countKinds(items)).toMatchObject({ call: 4, result: 4, image: 2 });
    const thoughts = (await historyOf("gemini", MAIN, places)).flatMap(({ content }) =>
      content.filter((block) => block.type === "thinking"),
    );
    expect(thoughts).toHaveLength(1);
  });

  test("a sub-agent, linked to the call that started it", async () => {
    await gemini.say(SAID.delegate, { resume: MAIN });
    expect(countKinds(await prove(MAIN))).toMatchObject({ call: 5, result: 5 });
    using session = await openNativeSession(`gemini:${MAIN}`, { places });
    const [subagent] = session.details.subagents;
    expect(subagent).toMatchObject({ type: "helper", toolCallId: expect.stringContaining("invoke_agent__") });
    using child = await openNativeSession(subagent?.location ?? "", { places });
    expect(child.details).toMatchObject({ sessionId: subagent?.id, toolCalls: 2, problems: [] });
  });

  test("a prompt that the service refused to answer is a branch", async () => {
    await gemini.sayInVain(SAID.refused, { resume: MAIN });
    await prove(MAIN);
    using session = await openNativeSession(`gemini:${MAIN}`, { places });
    expect(session.leaves.map(({ active, label }) => ({ active, label }))).toContainEqual({
      active: false,
      label: SAID.refused,
    });
  });

  test("a rewind: the messages that it removed are a branch", async () => {
    const sessionId = randomUUID();
    await gemini.say(SAID.instead, { sessionId });
    await gemini.say(SAID.after, { resume: sessionId });
    await rewindInTerminal(sandbox, gemini, sessionId);
    await gemini.say(SAID.many, { resume: sessionId });
    const items = await prove(sessionId);
    expect(items).not.toContainEqual({ kind: "text", role: "user", text: SAID.after });
    using session = await openNativeSession(`gemini:${sessionId}`, { places });
    expect(session.leaves.map(({ label }) => label)).toEqual([LAST_WORDS, SAID.after]);
    const entries = await Array.fromAsync(session.entries());
    expect(entries.map(({ type }) => type)).toContain("$rewindTo");
  });

  test("a session with a compaction and a turn after it", async () => {
    {
      await using acp = await gemini.acp();
      compacted = await acp.begin();
      for (const words of [SAID.many, SAID.more, SAID.full, SAID.after]) await acp.say(compacted, words);
    }
    const history = await historyOf("gemini", compacted, places);
    expect(history.filter((message) => message.origin === "person")).toHaveLength(4);
    const items = await prove(compacted);
    expect(items[0]).toMatchObject({ kind: "text", text: expect.stringContaining("Much was said.") });
    expect(items).toHaveLength(6);
  });

  test("a turn that was reverted while a tool ran", async () => {
    {
      await using acp = await gemini.acp();
      cancelled = await acp.begin();
      expect(await acp.sayAndCancel(cancelled, SAID.slow)).toBe("cancelled");
      await acp.say(cancelled, SAID.instead);
    }
    // In the same process Gemini CLI then sends a call without a result; after a resumption it does not.
    await fetch(`${server.url}/__log`, { method: "DELETE" });
    await prove(cancelled);
  });
});

test("a record that Gemini CLI itself ignores is read, reported, and not sent to the model", async () => {
  const sessionId = randomUUID();
  await gemini.say(SAID.lines, { sessionId });
  await gemini.say(SAID.again, { resume: sessionId });
  const items = await prove(sessionId);
  expect(items.map((item) => (item.kind === "text" ? item.text : ""))).toEqual([SAID.lines, SAID.again]);
  using session = await openNativeSession(`gemini:${sessionId}`, { places });
  expect(session.problems.map(({ code }) => code)).toContain("lost_on_resume");
});

describe("Gemini CLI and Continuo report the same", () => {
  test("the lists have the same ids and titles, without sessions that have no message", async () => {
    const { stdout } = await gemini.command(["--list-sessions"]);
    const theirs = [...stdout.matchAll(/\[([0-9a-f-]{36})\]/gu)].map((found) => found[1]);
    const ours = await listNativeSessions({ agents: ["gemini"], places, cwd: sandbox.project });
    const said = ours.filter(({ title }) => title !== null);
    expect(new Set(said.map(({ sessionId }) => sessionId))).toEqual(new Set(theirs));
    for (const { title } of said) expect(stdout).toContain(title?.slice(0, 20));
  });

  test("Continuo reads the same conversation that Gemini CLI sends over ACP", async () => {
    for (const sessionId of [MAIN, compacted]) {
      const history = await historyOf("gemini", sessionId, places);
      const start = history.findLastIndex((message) => message.origin === "summary");
      const told = history.slice(Math.max(0, start));
      const texts = told
        .filter((message) => message.role === "assistant")
        .flatMap((message) => message.content.map((block) => (block.type === "text" ? block.text : "")));
      const calls = told.flatMap((message) =>
        message.content.flatMap((block) => (block.type === "tool_call" ? [block.id] : [])),
      );
      const theirs = await loadCopy(sessionId, texts.join("").length);
      expect(spokenIn(theirs)).toBe(texts.join(""));
      const theirCalls = theirs.filter((update) => update.sessionUpdate === "tool_call");
      expect(calls).toEqual(expect.arrayContaining(theirCalls.map((update) => update.toolCallId)));
    }
  });
});

/**
 * Opens a copy of the home over ACP. The name of a session file contains the minute in which the session began. During
 * that minute, Gemini CLI would empty the file when it loads the session, so the copied file gets another minute.
 */
async function loadCopy(sessionId: string, spokenChars: number): Promise<readonly JsonObject[]> {
  const [row] = (await listNativeSessions({ agents: ["gemini"], places })).filter(
    (each) => each.sessionId === sessionId,
  );
  const copy = await openGemini(
    {
      ...sandbox,
      write: (path, content) => sandbox.write(join("copy", path), content),
      root: join(sandbox.root, "copy"),
    },
    server.url,
  );
  await cp(join(gemini.home, ".gemini"), join(copy.home, ".gemini"), { recursive: true });
  const location = (row?.location ?? "").replace(gemini.home, copy.home);
  await rename(location, join(dirname(location), `session-2020-01-01T00-00-${sessionId.slice(0, 8)}.jsonl`));
  await using acp = await copy.acp(sandbox.project);
  return await acp.load(sessionId, (updates) => spokenIn(updates).length >= spokenChars);
}

/** The agent's placeholders for parts other than text are left out. */
function spokenIn(updates: readonly JsonObject[]): string {
  return allSpokenIn(updates).replaceAll(/\[(Thought: true|Function Call: \w+)\]/gu, "");
}

test("commands that read sessions change nothing in a home whose sessions are 200 days old", async () => {
  const home = { path: gemini.home, variable: "GEMINI_CLI_HOME" };
  await expectUnchangedByReading(sandbox, home, { sessionId: MAIN });
});
