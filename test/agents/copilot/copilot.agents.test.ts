/**
 * The real GitHub Copilot CLI, without an account, holds conversations. Continuo reads the files that it wrote and
 * computes what the model receives when they are resumed; then Copilot resumes them. The tests run in order and
 * continue each other's sessions.
 */

import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { checkNativeSession, listNativeSessions, openNativeSession, type Places } from "@continuo/agents";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  asObjects,
  type ModelServer,
  startModelServer,
  text,
  thinking,
  tool,
} from "../../model-servers/index.ts";
import { spokenIn } from "../acp.ts";
import type { Item } from "../items.ts";
import { PICTURE } from "../picture.ts";
import { countKinds, expectUnchangedByReading, historyOf, proveResumption } from "../proof.ts";
import { makeSandbox, type Sandbox } from "../sandbox.ts";
import { type Copilot, openCopilot, sessionFileIn } from "./driver.ts";

const SAID = {
  compare: "Compare the two notes.",
  look: "What colour is this?",
  lookYourself: "And the one on the disk?",
  delegate: "Have somebody count the words.",
  refused: "Tell me more.",
  after: "Where were we?",
  slow: "Start the slow check.",
  instead: "Leave it. What is a note?",
} as const;
const HELPERS_TASK = "Count the words in one.md.";

let sandbox: Sandbox;
let server: ModelServer;
let copilot: Copilot;
let places: Places;

beforeAll(async () => {
  sandbox = await makeSandbox();
  await sandbox.write("project/one.md", "a note\n");
  await sandbox.write("project/two.md", "another note\n");
  await sandbox.write("project/leaf.png", Buffer.from(PICTURE, "base64"));
  const read = (name: string) => tool("view", { path: join(sandbox.project, name) });
  const task = { agent_type: "explore", name: "counter", description: "Count the words", mode: "sync" };
  server = await startModelServer({
    summary: "Much was said.",
    turns: [
      {
        user: SAID.compare,
        answers: [
          [
            thinking("Both, and a look around."),
            text("I read."),
            read("one.md"),
            read("missing.md"),
            read("two.md"),
          ],
          [text("They differ in one word.")],
        ],
      },
      { user: SAID.look, answers: [[text("Green.")]] },
      { user: SAID.lookYourself, answers: [[read("leaf.png")], [text("Green as well.")]] },
      {
        user: SAID.delegate,
        answers: [[tool("task", { ...task, prompt: HELPERS_TASK })], [text("The helper counted two words.")]],
      },
      { user: HELPERS_TASK, answers: [[read("one.md")], [text("Two words.")]] },
      { user: SAID.refused, answers: [[{ type: "error", status: 400, message: "not today" }]] },
      { user: SAID.after, answers: [[text("At the end.")]] },
      {
        user: SAID.slow,
        answers: [[text("It takes a while."), tool("bash", { command: "sleep 30", description: "Wait" })]],
      },
      { user: SAID.instead, answers: [[thinking("A short text."), text("A short text.")]] },
    ],
  });
  copilot = await openCopilot(sandbox, server.url);
  places = { home: sandbox.root, env: { COPILOT_HOME: copilot.home } };
});

afterAll(async () => {
  await server?.close();
  await sandbox?.[Symbol.asyncDispose]();
});

/** Resumes a session of Copilot and compares. */
async function prove(sessionId: string): Promise<readonly Item[]> {
  const resume = (words: string) => copilot.say(words, { resume: sessionId });
  return await proveResumption({ agent: "copilot", places, sessionId, server, resume });
}

const MAIN = randomUUID();
let compacted = "";

describe("Copilot resumes what Continuo reads", () => {
  test("text, thinking with its signature, parallel calls, an error, images", async () => {
    await copilot.say(SAID.compare, { sessionId: MAIN });
    await copilot.say(SAID.look, { resume: MAIN, attachments: [join(sandbox.project, "leaf.png")] });
    await copilot.say(SAID.lookYourself, { resume: MAIN });
    expect(countKinds(await prove(MAIN))).toMatchObject({ thinking: 1, call: 4, result: 4, image: 1 });
    const pictures = (await historyOf("copilot", MAIN, places)).flatMap(({ content }) =>
      content.flatMap((block) =>
        block.type === "tool_result" ? block.content.filter(({ type }) => type === "image") : [],
      ),
    );
    expect(pictures).toMatchObject([{ data: PICTURE }]);
  });

  test("a sub-agent in the file of its session is named, and is not part of the history", async () => {
    await copilot.say(SAID.delegate, { resume: MAIN });
    expect(countKinds(await prove(MAIN))).toMatchObject({ call: 5, result: 5 });
    using session = await openNativeSession(`copilot:${MAIN}`, { places });
    expect(session.details.subagents).toMatchObject([
      { type: "explore", description: "Count the words", toolCallId: expect.stringMatching(/^toolu_/u) },
    ]);
    expect(session.details.unknownRecords).toEqual({});
  });

  test("an answer that the service refused", async () => {
    await copilot.sayInVain(SAID.refused, { resume: MAIN });
    await prove(MAIN);
    const history = await historyOf("copilot", MAIN, places);
    expect(history.some(({ origin }) => origin === "error")).toBe(true);
  });

  test("a session with a compaction and a turn after it", async () => {
    {
      await using acp = await copilot.acp();
      compacted = await acp.begin();
      for (const words of [SAID.instead, SAID.after, "/compact"]) await acp.say(compacted, words);
    }
    const items = await prove(compacted);
    expect(items.map((item) => (item.kind === "text" ? item.text : item.kind))).toEqual([
      SAID.instead,
      SAID.after,
      expect.stringContaining("Much was said."),
    ]);
  });

  test("a turn that was reverted while a tool ran gives no problem", async () => {
    let id = "";
    {
      await using acp = await copilot.acp();
      id = await acp.begin();
      expect(await acp.sayAndCancel(id, SAID.slow)).toBe("cancelled");
      await acp.say(id, SAID.instead);
    }
    await prove(id);
    expect((await checkNativeSession(`copilot:${id}`, { places })).problems).toEqual([]);
  });

  test("a session is reported as open, and then its program is killed while a tool runs", async () => {
    const id = randomUUID();
    const file = sessionFileIn(copilot.home, id);
    {
      await using running = copilot.start(SAID.slow, { sessionId: id });
      while (!existsSync(file) || !readFileSync(file, "utf8").includes('"tool.execution_start"'))
        await sleep(50);
      const [open] = (await listNativeSessions({ agents: ["copilot"], places })).filter(
        (one) => one.live === true,
      );
      expect(open?.sessionId).toBe(id);
      running.kill();
    }
    expect(countKinds(await prove(id))).toMatchObject({ call: 1, result: 1 });
  });
});

describe("Copilot reports the same", () => {
  test("the list has ids and titles", async () => {
    await using acp = await copilot.acp();
    const theirs = asObjects((await acp.request("session/list", {})).sessions);
    const ours = await listNativeSessions({ agents: ["copilot"], places, cwd: sandbox.project });
    const byId = (rows: readonly (readonly [unknown, unknown])[]) => new Map(rows);
    expect(byId(ours.map(({ sessionId, title }) => [sessionId, title]))).toEqual(
      byId(theirs.map(({ sessionId, title }) => [sessionId, title])),
    );
  });

  test("the answers equal those that it sends over ACP", async () => {
    const answers = (await historyOf("copilot", MAIN, places))
      .filter(({ role, origin }) => role === "assistant" && origin === "agent")
      .flatMap(({ content }) => content.map((block) => (block.type === "text" ? block.text : "")))
      .join("");
    await using acp = await copilot.acp();
    const updates = await acp.load(MAIN, (told) => spokenIn(told).length >= answers.length);
    expect(spokenIn(updates)).toContain(answers.slice(0, 40));
  });
});

test("commands change nothing in a home of sessions that are 200 days old", async () => {
  const home = { path: copilot.home, variable: "COPILOT_HOME" };
  await expectUnchangedByReading(sandbox, home, { sessionId: MAIN });
});
