/**
 * The SDK holds a session with the real Claude Code and a scripted model, and resumes it on a machine that has none of
 * its files. Continuo's command then treats it as any other session.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { readAll } from "../../packages/core/src/model/index.ts";
import { openStore } from "../../packages/store/src/store/index.ts";
import { claudeBinary } from "../../test/agents/claude/driver.ts";
import { makeSandbox, runProgram, type Sandbox } from "../../test/agents/sandbox.ts";
import { type ModelServer, startModelServer, text, thinking, tool } from "../../test/model-servers/index.ts";
import { newProject, type Project, saveFiles } from "../project.ts";

const SAID = {
  why: "Why does the nightly build of the harbour fail?",
  next: "And what should I do about it?",
  answer: "A stale lock file in the cache of the compiler.",
  advice: "Delete the cache, then build again.",
} as const;
const KILLED = "Which process holds the lock of the lighthouse?";
const AFTER = "The program was killed. What did you find?";
const CONTENT = "error: harbour.lock is held by process 4711";

let project: Project;
let server: ModelServer;
let first: Sandbox;
let second: Sandbox;

beforeAll(async () => {
  [first, second] = [await makeSandbox(), await makeSandbox()];
  const read = tool("Read", { file_path: await first.write("project/build.log", `${CONTENT}\n`) });
  server = await startModelServer({
    turns: [
      { user: SAID.why, answers: [[thinking("The log has it."), read], [text(SAID.answer)]] },
      { user: SAID.next, answers: [[text(SAID.advice)]] },
      { user: KILLED, answers: [[read], [{ type: "hang" }]] },
      { user: AFTER, answers: [[text("Process 4711 holds it.")]] },
    ],
  });
});

beforeEach(() => {
  project = newProject("claude-agent-sdk");
  saveFiles(project, "docs/guides/claude-agent-sdk.md");
  // The lock file leaves out the program that the SDK brings.
  const options = `const options = { pathToClaudeCodeExecutable: ${JSON.stringify(claudeBinary())},`;
  const program = join(project.folder, "ask.js");
  writeFileSync(program, readFileSync(program, "utf8").replace("const options = {", options));
});
afterEach(() => project.remove());

afterAll(async () => {
  await server?.close();
  for (const sandbox of [first, second]) await sandbox?.[Symbol.asyncDispose]();
});

/** A container with a home of its own. */
function environmentOf(sandbox: Sandbox): Record<string, string> {
  return sandbox.environment({
    CLAUDE_CONFIG_DIR: join(sandbox.root, ".claude"),
    ANTHROPIC_BASE_URL: server.url,
    ANTHROPIC_API_KEY: "a-key-for-tests",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
  });
}

const idIn = (output: string): string | undefined => /^session ([\da-f-]{36})$/mu.exec(output)?.[1];

/** Runs the guide's program; returns the session's id. */
async function ask(sandbox: Sandbox, ...args: readonly string[]): Promise<string> {
  const output = await project.run("ask.js", { args: [first.project, ...args], env: environmentOf(sandbox) });
  return idIn(output) ?? output;
}

/** Runs the guide's program until the store has the result of the tool, and kills it; returns the session's id. */
async function askAndKill(sandbox: Sandbox, prompt: string): Promise<string> {
  const child = spawn(process.execPath, ["ask.js", first.project, prompt], {
    cwd: project.folder,
    env: environmentOf(sandbox),
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  await expect.poll(() => idIn(output), { timeout: 60_000 }).toBeDefined();
  await using store = await openStore(`sqlite:${join(project.folder, "agents.db")}`);
  const kept = async (): Promise<string> => {
    const { items } = await store.listSessions({ agent: "claude-agent-sdk" });
    const logs = items.map(({ sessionId }) => Array.fromAsync(readAll(store, sessionId)));
    return JSON.stringify(await Promise.all(logs));
  };
  await expect.poll(kept, { timeout: 60_000 }).toContain(CONTENT);
  child.kill("SIGKILL");
  expect((await ended)[1]).toBe("SIGKILL");
  return idIn(output) ?? output;
}

test("a session whose program is killed in the middle of an answer resumes elsewhere with all that was said", async () => {
  const sessionId = await askAndKill(first, KILLED);
  expect(await ask(second, AFTER, sessionId)).toBe(sessionId);
  const asked = JSON.stringify(server.conversation().at(-1)?.body.messages);
  for (const words of [KILLED, CONTENT, AFTER]) expect(asked.split(words)).toHaveLength(2);
});

test("a session resumes where none of its files are, with all that was said, and nothing twice", async () => {
  const sessionId = await ask(first, SAID.why);
  expect(await ask(second, SAID.next, sessionId)).toBe(sessionId);
  const asked = JSON.stringify(server.conversation().at(-1)?.body.messages);
  for (const words of [SAID.why, CONTENT, SAID.answer, SAID.next]) {
    expect(asked.split(words)).toHaveLength(2);
  }

  const listed = JSON.parse(await continuo("list", "--json"));
  expect(listed).toMatchObject([{ title: SAID.why, cwd: first.project }]);
  const id = sessionId.slice(0, 8);
  const shown = await continuo("session", "show", id);
  for (const words of Object.values(SAID))
    expect(shown.split(words)).toHaveLength(words === SAID.why ? 3 : 2);
  expect(shown).toContain(CONTENT);
  expect(await continuo("search", "harbour", "4711")).toContain(SAID.why);
  expect(await continuo("search", "delete", "cache", "role:assistant")).toContain(SAID.advice);

  const made = await continuo("handoff", id, "--to", "codex");
  const codex = /codex:([\da-f-]{36})/u.exec(made)?.[1] ?? made;
  const there = await continuo("session", "show", `codex:${codex}`);
  for (const words of [...Object.values(SAID), CONTENT]) expect(there).toContain(words);
});

/** Runs the command on the second machine, with the store of the program. */
async function continuo(...args: readonly string[]): Promise<string> {
  const env = second.environment({
    CLAUDE_CONFIG_DIR: join(second.root, ".claude"),
    CONTINUO_HOME: join(second.root, ".continuo"),
    CONTINUO_STORE: `sqlite:${join(project.folder, "agents.db")}`,
  });
  const command = join(import.meta.dirname, "../../bin/continuo.js");
  const run = await runProgram(process.execPath, [command, ...args], { cwd: first.project, env });
  expect(run, run.stderr).toMatchObject({ code: 0 });
  return run.stdout;
}
