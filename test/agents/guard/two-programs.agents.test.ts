/**
 * A session is open in a real agent, and a second program opens it. If the second program is an agent with the hook,
 * the hook refuses its prompt. A conversation of Continuo does not begin in such a session. If an agent without the
 * hook opens the session of a conversation, the conversation warns.
 */

import { spawn, spawnSync } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { findNativeSessions, formatOf } from "@continuo/native";
import { lockNative } from "@continuo/native/writing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type ModelServer, startModelServer, text } from "../../model-servers/index.ts";
import { bundledCommand } from "../../sizes/shared-programs.ts";
import { claudeBinary, openClaude } from "../claude/driver.ts";
import { claude } from "../drivers/subjects/claude.ts";
import { openGemini } from "../gemini/driver.ts";
import { makeSandbox, type Sandbox } from "../sandbox.ts";

const SLOWLY = "Tell a long story.";
const AFTER = "And what ends it?";
const STORY = Array.from({ length: 300 }, (_, at) => `word${at}`).join(" ");

let sandbox: Sandbox;
let model: ModelServer;

beforeEach(async () => {
  sandbox = await makeSandbox();
  model = await startModelServer({
    summary: "",
    turns: [
      { user: SLOWLY, answers: [[{ type: "slow", delayMs: 100 }, text(STORY)]] },
      { user: AFTER, answers: [[text("A limit of attempts.")]] },
    ],
  });
});
afterEach(async () => {
  await model.close();
  await sandbox[Symbol.asyncDispose]();
});

/** Returns hooks for these events, which write the events and their answers to two files. */
async function hooks(events: readonly string[]): Promise<object> {
  const [program, seen, answers] = [
    await bundledCommand(),
    join(sandbox.root, "seen"),
    join(sandbox.root, "answers"),
  ];
  const hook = `'${process.execPath}' '${program}' guard hook --block`;
  const command = `tee -a '${seen}' | ${hook} | tee -a '${answers}'`;
  return Object.fromEntries(events.map((event) => [event, [{ hooks: [{ type: "command", command }] }]]));
}

function textOf(name: string): string {
  const path = join(sandbox.root, name);
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

const places = (env: Record<string, string>) => ({ home: sandbox.root, env });
const isAsked = (words: string): boolean =>
  JSON.stringify(model.requests.map(({ body }) => body)).includes(words);

async function onlySession(env: Record<string, string>): Promise<string> {
  const find = () => Array.fromAsync(findNativeSessions({ places: places(env) }));
  // The agent asks its model before it has written its session.
  await expect.poll(async () => (await find()).length).toBe(1);
  return (await find())[0]?.sessionId ?? "";
}

test("claude: the hook refuses the prompt of a second program, until the first one ends", async () => {
  const agent = await openClaude(sandbox, model.url, "full");
  const settings = JSON.parse(readFileSync(join(agent.configFolder, "settings.json"), "utf8"));
  const own = await hooks(["SessionStart", "UserPromptSubmit", "SessionEnd"]);
  await sandbox.write(".claude/settings.json", JSON.stringify({ ...settings, hooks: own }));
  const first = agent.say([SLOWLY]);
  await expect.poll(() => isAsked(SLOWLY)).toBe(true);
  const sessionId = await onlySession(agent.environment);
  await agent.say([AFTER], { resume: sessionId }).catch(() => undefined);
  expect(isAsked(AFTER)).toBe(false);
  expect(textOf("answers")).toContain(
    `"decision":"block","reason":"This session is open in claude (process `,
  );
  await first;
  await agent.say([AFTER], { resume: sessionId });
  expect(isAsked(AFTER)).toBe(true);
});

test("gemini: the hook refuses the prompt of a second program, until the first one ends", async () => {
  const agent = await openGemini(sandbox, model.url);
  const path = "gemini-home/.gemini/settings.json";
  const settings = JSON.parse(readFileSync(join(sandbox.root, path), "utf8"));
  const own = await hooks(["SessionStart", "BeforeAgent", "SessionEnd"]);
  await sandbox.write(path, JSON.stringify({ ...settings, hooksConfig: { enabled: true }, hooks: own }));
  const first = agent.say(SLOWLY);
  await expect.poll(() => isAsked(SLOWLY)).toBe(true);
  const sessionId = await onlySession(agent.environment);
  await agent.say(AFTER, { resume: sessionId }).catch(() => undefined);
  expect(isAsked(AFTER)).toBe(false);
  expect(textOf("answers")).toContain(
    `"decision":"block","reason":"This session is open in gemini (process `,
  );
  await first;
  await agent.say(AFTER, { resume: sessionId });
  expect(isAsked(AFTER)).toBe(true);
});

/**
 * Starts a program that is not a child of this test's processes, like one in another terminal. Its input stays open
 * until `end`.
 */
function startAside(program: string, args: readonly string[], env: Record<string, string>) {
  const input = join(sandbox.root, "input");
  spawnSync("mkfifo", [input]);
  const start = '"$@" <"$0" >"$0.out" 2>&1 &';
  spawn("sh", ["-c", start, input, program, ...args], { cwd: sandbox.project, env, stdio: "ignore" });
  const fd = openSync(input, "w");
  return { say: (line: object) => writeSync(fd, `${JSON.stringify(line)}\n`), end: () => closeSync(fd) };
}

const STREAMS = ["-p", "--verbose", "--input-format=stream-json", "--output-format=stream-json"] as const;

test("no conversation begins in a session that is open in Claude Code, with the hook, in another terminal", async () => {
  const { driver, cwd, environment } = await claude.prepare(sandbox, model.url);
  const own = await hooks(["SessionStart", "UserPromptSubmit", "SessionEnd"]);
  await sandbox.write(".claude/settings.json", JSON.stringify({ hooks: own }));
  const there = startAside(claudeBinary(), STREAMS, environment);
  there.say({ type: "user", message: { role: "user", content: AFTER } });
  await expect.poll(() => textOf("input.out")).toContain('"type":"result"');
  const sessionId = await onlySession(environment);
  await expect(lockNative({ agent: "claude", sessionId, places: places(environment) })).rejects.toMatchObject(
    {
      code: "session_live",
      message: expect.stringMatching(/is open in claude \(process \d+\)$/u),
    },
  );
  there.end();
  const open = async () => await (await driver()).open({ cwd, resumeSessionId: sessionId });
  await expect
    .poll(async () => {
      const conversation = await open().catch(() => null);
      await conversation?.close();
      return conversation !== null;
    })
    .toBe(true);
});

test("a conversation warns when Claude Code opens its session in another terminal", async () => {
  const { driver, cwd, environment } = await claude.prepare(sandbox, model.url);
  await using conversation = await (await driver()).open({ cwd });
  const warnings = async () => {
    const events = await Array.fromAsync(conversation.prompt([{ type: "text", text: AFTER }]));
    return events.filter(({ type }) => type === "error");
  };
  expect(await warnings()).toEqual([]);
  const { sessionId } = conversation;
  const there = startAside(claudeBinary(), [...STREAMS, "--resume", sessionId], environment);
  const { processesWith } = await formatOf("claude");
  await expect.poll(() => processesWith?.(sessionId, places(environment)).length).toBe(2);
  expect(await warnings()).toEqual([
    {
      type: "error",
      code: "session_live",
      message: expect.stringMatching(/^claude \(process \d+\) has this session open too/u),
      details: { program: "claude", pid: expect.any(Number) },
    },
  ]);
  expect(await warnings()).toEqual([]);
  there.end();
});
