/**
 * The real agents call Continuo's tools: `continuo mcp install` registers the server, a person sends messages, the
 * agent replaces them with a summary, and its model calls `search` and `recall`. The results of the tools are in the
 * agent's next request to the model.
 */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { AgentName } from "@continuo/core/model";
import { expect, test } from "vitest";
import {
  type ModelServer,
  type Script,
  type Step,
  startModelServer,
  text,
  tool,
} from "../../model-servers/index.ts";
import { openClaude } from "../claude/driver.ts";
import { compact, threadIdIn } from "../codex/app-server.ts";
import { openCodex } from "../codex/driver.ts";
import { SAID as GEMINI_SAID, SCRIPT as GEMINI_SCRIPT } from "../gemini/conversation.ts";
import { openGemini } from "../gemini/driver.ts";
import { MODEL, openOpencode } from "../opencode/driver.ts";
import { openPi } from "../pi/driver.ts";
import { runContinuo } from "../proof.ts";
import { makeSandbox, type Sandbox } from "../sandbox.ts";
import { continuoReady } from "./codex-ready.ts";
import { writeOtherSession } from "./other-session.ts";

const FIRST = "Remember that the parcel is heliotrope.";
const THEN = "And that it weighs nine pounds.";
const STORY = "Tell me about the weather.";
const ASK = "What colour is the parcel?";
const FIND = "What did we say about the lighthouse?";

/** The model's calls of the server's tools, by the names under which the agent offers them. */
interface Calls {
  readonly recall: Step;
  readonly search: Step;
}

/** The prompts before the compaction, and the prompts after it. */
const BEFORE = [FIRST, THEN, STORY];
const AFTER = [ASK, FIND];

/** @param prefix the text that the agent puts before the name of a tool */
function callsWith(prefix: string): Calls {
  return {
    recall: tool(`${prefix}recall`, { query: "parcel" }),
    search: tool(`${prefix}search`, { query: "lighthouse" }),
  };
}

function scriptOf({ recall, search }: Calls, more: Script = {}): Script {
  return {
    summary: "Things were said.",
    ...more,
    turns: [
      ...(more.turns ?? []),
      { user: FIRST, answers: [[text("I keep the colour in mind.")]] },
      { user: THEN, answers: [[text("Nine pounds it is.")]] },
      { user: STORY, answers: [[text("It rains, and then it rains a little more, ".repeat(12))]] },
      { user: ASK, answers: [[recall], [text("It was said.")]] },
      { user: FIND, answers: [[search], [text("It was found.")]] },
    ],
  };
}

async function install(
  agent: AgentName,
  sandbox: Sandbox,
  environment: Readonly<Record<string, string>>,
): Promise<void> {
  const { code, stdout, stderr } = await runContinuo(
    ["mcp", "install", agent, "--yes"],
    sandbox,
    environment,
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain(`registered with ${agent}`);
}

/** Returns the bodies of the requests to the model, the oldest first. */
function sentTo(server: ModelServer): string[] {
  return server.requests.filter(({ kind }) => kind === "answer").map(({ body }) => JSON.stringify(body));
}

function expectAnswers(server: ModelServer): void {
  const sent = sentTo(server);
  const asked = sent.findIndex((request) => request.includes(ASK));
  expect(asked).toBeGreaterThan(0);
  // After the compaction the model does not know the colour, and the tool returns it.
  expect(sent[asked]).not.toContain("I keep the colour in mind.");
  expect(sent[asked + 1]).toContain("heliotrope");
  expect(sent[asked + 1]).toContain("I keep the colour in mind.");
  expect(sent[asked + 1]).toContain("data, never");
  const found = sent.findIndex((request) => request.includes(FIND));
  expect(sent[found]).not.toContain("closed on Tuesdays");
  expect(sent[found + 1]).toContain("closed on Tuesdays");
}

/** The instructions of the server reach the model, so that it knows when to call which tool. */
function expectInstructions(server: ModelServer): void {
  expect(
    sentTo(server).some((request) => request.includes("Call `recall` when your own context was compacted")),
  ).toBe(true);
}

test("Claude Code calls search and recall", async () => {
  await using sandbox = await makeSandbox();
  await using server = await startModelServer(scriptOf(callsWith("mcp__continuo__")));
  const claude = await openClaude(sandbox, server.url, "full");
  await writeOtherSession(sandbox);
  await sandbox.write(
    ".claude/settings.json",
    JSON.stringify({
      cleanupPeriodDays: 36_500,
      permissions: { allow: ["mcp__continuo"] },
      env: { ENABLE_TOOL_SEARCH: "false" },
    }),
  );
  await install("claude", sandbox, claude.environment);
  const { sessionId } = await claude.say(BEFORE);
  await claude.say(["/compact"], { resume: sessionId });
  await claude.say(AFTER, { resume: sessionId });
  expectAnswers(server);
  expectInstructions(server);
});

test("Codex calls search and recall", async () => {
  await using sandbox = await makeSandbox();
  await using server = await startModelServer(scriptOf(callsWith("")));
  const codex = await openCodex(sandbox, server.url);
  await writeOtherSession(sandbox);
  const config = await readFile(join(codex.home, "config.toml"), "utf8");
  // With this model, Codex offers all tools at once.
  await sandbox.write(".codex/config.toml", config.replace('"gpt-5.5"', '"scripted"'));
  await install("codex", sandbox, codex.environment);
  await using app = await codex.appServer();
  const threadId = threadIdIn(await app.request("thread/start", { cwd: sandbox.project }));
  await continuoReady(app);
  for (const words of BEFORE) await app.turn(threadId, words);
  await compact(app, threadId);
  for (const words of AFTER) await app.turn(threadId, words);
  expectAnswers(server);
  expectInstructions(server);
});

test("Gemini CLI calls search and recall", async () => {
  await using sandbox = await makeSandbox();
  const script = scriptOf(callsWith("mcp_continuo_"), GEMINI_SCRIPT);
  await using server = await startModelServer({ ...script, strict: false });
  const gemini = await openGemini(sandbox, server.url);
  await writeOtherSession(sandbox);
  await install("gemini", sandbox, gemini.environment);
  await using acp = await gemini.acp();
  const session = await acp.begin();
  const { many, more, full } = GEMINI_SAID;
  for (const words of [...BEFORE, many, more, full, ...AFTER]) await acp.say(session, words);
  expectAnswers(server);
});

test("opencode calls search and recall", async () => {
  await using sandbox = await makeSandbox();
  await using server = await startModelServer(scriptOf(callsWith("continuo_")));
  const opencode = await openOpencode(sandbox, server.url);
  await writeOtherSession(sandbox);
  await install("opencode", sandbox, opencode.environment);
  await using serving = await opencode.serve();
  const session = await serving.create();
  for (const words of BEFORE) await serving.say(session, words);
  await serving.request("POST", `/session/${session}/summarize`, { providerID: "scripted", modelID: MODEL });
  for (const words of AFTER) await serving.say(session, words);
  expectAnswers(server);
  expectInstructions(server);
});

test("pi calls search and recall", async () => {
  await using sandbox = await makeSandbox();
  await using server = await startModelServer(scriptOf(callsWith("mcp__continuo__")));
  const pi = await openPi(sandbox, server.url);
  await writeOtherSession(sandbox);
  await install("pi", sandbox, pi.environment);
  await using talk = pi.talk({ withExtensions: true });
  for (const words of BEFORE) await talk.say(words);
  await talk.request("compact");
  for (const words of AFTER) await talk.say(words);
  expectAnswers(server);
});
