/**
 * Forks of sessions that the real agents began: each agent lists and resumes the forks, and its request has the
 * messages of the source up to the one after which the fork was made. The source does not change.
 */

import {
  forkNativeSession,
  openSessionAdapter,
  type Places,
  readNativeSession,
  renameNativeSession,
  trashNativeSession,
} from "@continuo/agents";
import type { AgentName } from "@continuo/core/model";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ModelServer, startModelServer, text } from "../../model-servers/index.ts";
import { AGENTS, type AgentInSandbox, type SessionPlace } from "../append/begin.ts";
import { countKinds, proveResumption } from "../proof.ts";
import { makeSandbox, type Sandbox } from "../sandbox.ts";

const FIRST = "What is in the note?";
/** The title of a fork in each agent; forks of Codex have none. */
const FORK_TITLES: Readonly<Record<AgentName, string>> = {
  claude: "Two notes 你好 (fork)",
  codex: "",
  gemini: "Two notes 你好 (fork)",
  pi: "Two notes 你好",
  opencode: "Two notes 你好 (fork #1)",
  copilot: "Two notes 你好",
};
const SECOND = "And in the other one?";

describe.each(AGENTS)("$agent", ({ agent, format, open }) => {
  let sandbox: Sandbox;
  let server: ModelServer;
  let begun: AgentInSandbox;
  let places: Places;
  let source: SessionPlace;

  beforeAll(async () => {
    sandbox = await makeSandbox();
    const answers = [[text("A word.")]];
    server = await startModelServer({ turns: [{ user: FIRST, answers }] });
    begun = await open(sandbox, server.url);
    places = { home: sandbox.root, env: begun.environment };
    source = await begun.begin(FIRST);
    await using adapter = openSessionAdapter({ format, ...source, places });
    await adapter.appendUserMessage(SECOND);
    await adapter.appendAssistantMessage([
      { type: "text", text: "I look." },
      { type: "tool_call", id: "call_f1", name: "Look", args: { at: "one" } },
      { type: "tool_call", id: "call_f2", name: "Look", args: { at: "two" } },
    ]);
    await adapter.appendToolResult("call_f2", "no such note", true);
    await adapter.appendToolResult("call_f1", "a note");
    await adapter.appendAssistantMessage("One of them.");
  });

  afterAll(async () => {
    await server?.close();
    await sandbox?.[Symbol.asyncDispose]();
  });

  const said = async (sessionId: string) =>
    (await readNativeSession(`${agent}:${sessionId}`, { places })).messages;

  async function proveFork(fork: { readonly sessionId: string; readonly location: string }) {
    const { sessionId } = fork;
    const sessionFile = fork.location.replace(/#[^/#]*$/u, "");
    const resume = (words: string) => begun.resume(words, { sessionId, sessionFile });
    return await proveResumption({ agent, places, sessionId, server, resume });
  }

  test("the agent shows the new title of a session", async () => {
    await renameNativeSession(`${agent}:${source.sessionId}`, "Two notes 你好", { places });
    expect((await begun.titles()).get(source.sessionId)).toBe("Two notes 你好");
  });

  test("a fork of the whole session is listed and resumed, and the source does not change", async () => {
    const before = await said(source.sessionId);
    const fork = await forkNativeSession(`${agent}:${source.sessionId}`, { places });
    const titles = await begun.titles();
    expect(titles.get(fork.sessionId)).toBe(FORK_TITLES[agent]);
    const items = await proveFork(fork);
    expect(countKinds(items)).toMatchObject({ call: 2, result: 2 });
    expect(items).toContainEqual({ kind: "text", role: "user", text: SECOND });
    expect(await said(source.sessionId)).toEqual(before);
  });

  test("a fork after an earlier message can be resumed", async () => {
    const history = await said(source.sessionId);
    const at = history.find(({ role, origin }) => role === "assistant" && origin === "agent")?.id ?? "";
    const items = await proveFork(await forkNativeSession(`${agent}:${source.sessionId}`, { places, at }));
    expect(countKinds(items)).not.toHaveProperty("call");
    expect(items).toContainEqual({ kind: "text", role: "assistant", text: "A word." });
    expect(items).not.toContainEqual({ kind: "text", role: "user", text: SECOND });
  });

  test("a fork after the results of two calls can be resumed without its source", async () => {
    const history = await said(source.sessionId);
    const at = history.findLast(({ role }) => role === "tool")?.id ?? "";
    const fork = await forkNativeSession(`${agent}:${source.sessionId}`, { places, at });
    await trashNativeSession(`${agent}:${source.sessionId}`, { places });
    const items = await proveFork(fork);
    expect(countKinds(items)).toMatchObject({ call: 2, result: 2 });
    expect(items).not.toContainEqual({ kind: "text", role: "assistant", text: "One of them." });
  });
});
