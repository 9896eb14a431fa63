/**
 * `sessionsOfAgent(agent)`: list, capabilities and resume, for an agent whose files Continuo reads and for an agent
 * that speaks ACP.
 */

import { beforeEach, expect, test } from "vitest";
import * as continuo from "../../src/index.ts";
import { copyHome } from "../fixture-home.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { chunk, DONE, hello1, spoken, turn } from "./script.ts";
import { scripted } from "./scripted-program.ts";

let scratch: string;
beforeEach(() => {
  scratch = scratchFolder("sessions");
});

const row = (sessionId: string, updatedAt: string, cwd: string) => ({
  sessionId,
  cwd,
  title: sessionId,
  updatedAt,
});

test("lists and resumes sessions of an agent that speaks ACP, and reports its capabilities", async () => {
  const { driver, cwd, sent } = scripted({
    hello: hello1({ list: {}, resume: {} }),
    answers: {
      "session/list": [{ result: { sessions: [row("abc", "2026-01-01T00:00:00Z", "/")] } }],
      "session/resume": [{ result: {} }],
      "session/prompt": [chunk("Hello."), DONE],
    },
  });
  const sessions = continuo.sessionsOfAgent(driver, { cwd, places: { home: scratch, env: {} } });
  expect(sessions.agent).toBe("scripted");
  expect((await sessions.list()).map(({ agent, sessionId }) => [agent, sessionId])).toEqual([
    ["scripted", "abc"],
  ]);
  expect(await sessions.capabilities()).toMatchObject({ canList: true, canResume: true });
  for (const id of ["ab", "scripted:abc", "last"]) {
    await using conversation = await sessions.resume(id);
    expect(conversation.sessionId).toBe("abc");
    expect(conversation.resumption.happened).toBe("native");
    expect(spoken(await turn(conversation, "hi"))).toBe("Hello.");
  }
  const resumed = sent().filter((message) => message.method === "session/resume");
  expect(resumed.length).toBe(3);
  expect(resumed[0]?.params).toMatchObject({ sessionId: "abc", cwd: "/" });
});

test("lists what Continuo reads without starting the agent, and finds it by the same names as every command", async () => {
  const { places, sessions: all } = await copyHome(scratch, ["pi", "compaction"]);
  const pi = continuo.sessionsOfAgent("pi", { places, command: ["/nowhere/pi"] });
  expect((await pi.list()).map(({ sessionId }) => sessionId)).toEqual(all.map(({ sessionId }) => sessionId));
  expect(await pi.list({ title: "no such title" })).toEqual([]);
  await expect(pi.resume("ffffffff")).rejects.toMatchObject({ code: "not_found" });
  await expect(pi.resume("claude:ffff")).rejects.toMatchObject({ code: "not_found" });
  // The session is found, so the program is started, and it does not exist.
  await expect(pi.resume("last")).rejects.toMatchObject({ code: "agent_missing" });
  const claude = continuo.sessionsOfAgent("claude", { places });
  await expect(claude.resume("last")).rejects.toMatchObject({ code: "not_found" });
});

test("a session of another agent is not resumed, although its path is one of a session", async () => {
  const { places, sessions } = await copyHome(scratch, ["codex", "archived"]);
  const pi = continuo.sessionsOfAgent("pi", { places, command: ["/nowhere/pi"] });
  await expect(pi.resume(sessions[0]?.location ?? "")).rejects.toMatchObject({ code: "not_found" });
});

test("a list that the agent could not give is an error, and not an empty list", async () => {
  const { driver, cwd } = scripted({
    hello: hello1({ list: {} }),
    answers: { "session/list": [{ error: { code: -32_603, message: "the index is damaged" } }] },
  });
  const sessions = continuo.sessionsOfAgent(driver, { cwd, places: { home: scratch, env: {} } });
  await expect(sessions.list()).rejects.toMatchObject({ code: "agent_failed" });
});

test("sessions of an agent that Continuo reads can be listed, although its program has no list", async () => {
  const can = { canList: false, canResume: true };
  const driver = { agent: "pi", capabilities: async () => can } as unknown as continuo.AgentDriver;
  const sessions = continuo.sessionsOfAgent(driver, { places: { home: scratch, env: {} } });
  expect(await sessions.capabilities()).toEqual({ ...can, canList: true });
});

test("a name that Continuo does not know needs a command", async () => {
  await expect(continuo.sessionsOfAgent("nobody").list()).rejects.toMatchObject({ code: "usage" });
});
