/**
 * The real Claude Code holds conversations. Continuo reads the session files and computes what the model receives when
 * a session is resumed; then Claude Code resumes the session, and the test compares the request. The tests run in
 * order and continue each other's sessions.
 */

import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { listNativeSessions, openNativeSession, type Places } from "@continuo/agents";
import { type Message, textOf } from "@continuo/core/model";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  asObject,
  asObjects,
  asText,
  type ModelServer,
  startModelServer,
} from "../../model-servers/index.ts";
import { spokenIn, startAcp } from "../acp.ts";
import { isWanted, PINNED, packageFolder } from "../install.ts";
import type { Item } from "../items.ts";
import { countKinds, expectUnchangedByReading, historyOf, proveResumption } from "../proof.ts";
import { makeSandbox, type Sandbox, startProgram } from "../sandbox.ts";
import { CHECK_DONE, FILES, SAID, scriptFor, WITH_PICTURE } from "./conversation.ts";
import { type Claude, type ClaudeOptions, claudeBinary, openClaude, projectFolderName } from "./driver.ts";
import { callSdk } from "./sdk.ts";

let sandbox: Sandbox;
let server: ModelServer;
let claude: Claude;
let places: Places;

beforeAll(async () => {
  sandbox = await makeSandbox();
  for (const [path, content] of FILES) await sandbox.write(path, content);
  server = await startModelServer(scriptFor(sandbox.project));
  claude = await openClaude(sandbox, server.url, "full");
  places = { home: sandbox.root, env: { CLAUDE_CONFIG_DIR: claude.configFolder } };
});

afterAll(async () => {
  await server?.close();
  await sandbox?.[Symbol.asyncDispose]();
});

/**
 * Resumes a session with Claude Code and `options`, and compares the request with what Continuo reads.
 */
async function prove(sessionId: string, options: ClaudeOptions = {}): Promise<readonly Item[]> {
  const resume = (words: string) => claude.say([words], { resume: sessionId, ...options });
  return await proveResumption({ agent: "claude", places, sessionId, server, resume });
}

const fileOf = (sessionId: string): string =>
  join(claude.configFolder, "projects", projectFolderName(sandbox.project), `${sessionId}.jsonl`);

const sdk = (name: string, ...args: readonly unknown[]) => callSdk(sandbox, claude, name, args);

/** The session that most tests continue. */
const MAIN = randomUUID();
const FORK = randomUUID();
const BRANCHED = randomUUID();
const TROUBLED = randomUUID();

describe("Claude Code resumes what Continuo reads", () => {
  test("text, thinking, parallel calls, an error, images", async () => {
    await claude.say([SAID.compare, WITH_PICTURE, SAID.lookYourself], {
      sessionId: MAIN,
      title: "Two notes",
    });
    const items = await prove(MAIN);
    expect(countKinds(items)).toMatchObject({ thinking: 2, call: 5, result: 5, error: 1, image: 2 });
  });

  test("a fork, which does not change its source session", async () => {
    const before = await readFile(fileOf(MAIN));
    await claude.say([SAID.fork], { resume: MAIN, fork: true, sessionId: FORK });
    expect(await readFile(fileOf(MAIN))).toEqual(before);
    expect(countKinds(await prove(FORK))).toMatchObject({ call: 5, image: 2 });
  });

  test("a branch: the person went back and sent another message", async () => {
    const first = await claude.say([SAID.compare], { sessionId: BRANCHED });
    const answer = first.events.findLast((event) => event.type === "assistant");
    await claude.say([WITH_PICTURE], { resume: BRANCHED });
    await claude.say([SAID.instead], { resume: BRANCHED, at: asText(answer?.uuid) });
    const items = await prove(BRANCHED);
    expect(items.at(-1)).toEqual({ kind: "text", role: "assistant", text: "The second." });
    expect(countKinds(items)).not.toHaveProperty("image");
    using session = await openNativeSession(`claude:${BRANCHED}`, { places });
    expect(session.leaves).toHaveLength(2);
  });

  test("a sub-agent, and messages that were sent while a tool ran", async () => {
    await claude.say([SAID.delegate], { resume: MAIN });
    const release = () => sandbox.write(join("project", CHECK_DONE), "");
    await claude.say([SAID.run], { resume: MAIN, meanwhile: { say: SAID.meanwhile, release } });
    const items = await prove(MAIN);
    expect(items).toContainEqual({ kind: "text", role: "user", text: SAID.meanwhile });
  });

  test("a session with a compaction and a turn after it", async () => {
    await claude.say([SAID.compact], { resume: MAIN });
    await claude.say([SAID.after], { resume: MAIN });
    const items = await prove(MAIN);
    expect(items[0]).toMatchObject({
      kind: "text",
      text: expect.stringContaining("a helper counted the words"),
    });
    expect(items.length).toBeLessThan(12);
  });

  test("a prompt that the service refused to answer, and a tool call that never ended", async () => {
    await claude.say([SAID.instead], { sessionId: TROUBLED });
    await claude.sayInVain(SAID.refused, "refused by the model", { resume: TROUBLED });
    expect(countKinds(await prove(TROUBLED))).toMatchObject({ thinking: 1 });
    await claude.sayInVain(SAID.long, "killed during the first tool call", { resume: TROUBLED });
    expect(countKinds(await prove(TROUBLED))).toMatchObject({ call: 1, result: 1, error: 1 });
  });
});

describe("the Agent SDK reads the same", () => {
  test("the list: ids, titles, folders, branches", async () => {
    const theirs = asObjects(await sdk("listSessions", { dir: sandbox.project }));
    const ours = await listNativeSessions({ agents: ["claude"], places });
    const ourRows = ours.map(({ sessionId, title, cwd, gitBranch }) => ({
      sessionId,
      title,
      cwd,
      gitBranch,
    }));
    const theirRows = theirs.map(({ sessionId, customTitle, firstPrompt, cwd, gitBranch }) => {
      return { sessionId, title: customTitle ?? firstPrompt, cwd, gitBranch };
    });
    expect(new Set(ourRows)).toEqual(new Set(theirRows));
    expect(theirs).toHaveLength(4);
  });

  test("the messages of the active branch have the same records and the same text", async () => {
    for (const sessionId of [FORK, BRANCHED, TROUBLED]) {
      const theirs = asObjects(await sdk("getSessionMessages", sessionId, { dir: sandbox.project }));
      const history = await historyOf("claude", sessionId, places);
      const ourTexts = history
        .filter((message) => message.role !== "system" && message.origin !== "injected")
        .flatMap((message) => message.content.map((block) => (block.type === "text" ? block.text : "")));
      const theirTexts = theirs.flatMap((line) => {
        const { content } = asObject(line.message);
        return typeof content === "string"
          ? [content]
          : asObjects(content).map((block) => asText(block.text));
      });
      const spoken = (texts: readonly string[]) => texts.filter((words) => words !== "");
      expect(spoken(ourTexts)).toEqual(spoken(theirTexts));
    }
  });

  test("sub-agents", async () => {
    using session = await openNativeSession(`claude:${MAIN}`, { places });
    const theirs = await sdk("listSubagents", MAIN, { dir: sandbox.project });
    expect(session.details.subagents.map((subagent) => subagent.id)).toEqual(theirs);
    expect(theirs).toHaveLength(1);
  });

  test("a title and an archive mark that the SDK wrote", async () => {
    await sdk("renameSession", FORK, "A third note");
    await sdk("archiveSession", FORK);
    const rows = await listNativeSessions({ agents: ["claude"], places, archived: "include" });
    expect(rows.find((row) => row.sessionId === FORK)).toMatchObject({
      title: "A third note",
      archived: true,
    });
  });
});

test("commands that read sessions change nothing in a home whose sessions are 200 days old", async () => {
  const home = { path: claude.configFolder, variable: "CLAUDE_CONFIG_DIR" };
  await expectUnchangedByReading(sandbox, home, { sessionId: MAIN });
});

const OLDER = (["claude2197"] as const).filter((version) => isWanted(PINNED[version]));

describe.each(OLDER)("%s", (version) => {
  test("text, thinking, parallel calls, an error, images", async () => {
    await using older = await makeSandbox();
    for (const [path, content] of FILES) await older.write(path, content);
    await using model = await startModelServer(scriptFor(older.project));
    const agent = await openClaude(older, model.url, "full", version);
    const sessionId = randomUUID();
    await agent.say([SAID.compare, WITH_PICTURE, SAID.lookYourself], { sessionId });
    const items = await proveResumption({
      agent: "claude",
      places: { home: older.root, env: { CLAUDE_CONFIG_DIR: agent.configFolder } },
      sessionId,
      server: model,
      resume: (words: string) => agent.say([words], { resume: sessionId }),
    });
    expect(countKinds(items)).toMatchObject({ call: 5, result: 5, image: 2 });
  });
});

const ADAPTERS = (["claudeAcp"] as const).filter((version) => isWanted(PINNED[version]));

test.each(ADAPTERS)("%s sends the same conversation that Continuo reads", async (version) => {
  const history = await historyOf("claude", BRANCHED, places);
  const said = saidIn(history);
  const env = { ...claude.environment, CLAUDE_CODE_EXECUTABLE: claudeBinary() };
  const adapter = [join(packageFolder(PINNED[version]), PINNED[version].proof)];
  await using acp = await startAcp(startProgram(process.execPath, adapter, { cwd: sandbox.project, env }), {
    cwd: sandbox.project,
  });
  const updates = await acp.load(BRANCHED, (told) => spokenIn(told).length >= said.length);
  expect(spokenIn(updates)).toBe(said);
});

/** Returns the whole text of the agent, in one string. */
function saidIn(history: readonly Message[]): string {
  const answers = history.filter((message) => message.origin === "agent" && message.role === "assistant");
  return answers.map((message) => textOf(message.content)).join("");
}
