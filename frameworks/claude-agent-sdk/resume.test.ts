/**
 * The SDK holds a session with the real Claude Code and a scripted model, and resumes it on a machine that has none of
 * its files. Continuo's command then treats it as any other session.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
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
const CONTENT = "error: harbour.lock is held by process 4711";

let project: Project;
let server: ModelServer;
let first: Sandbox;
let second: Sandbox;

beforeAll(async () => {
  [first, second] = [await makeSandbox(), await makeSandbox()];
  const read = tool("Read", { file_path: await first.write("project/build.log", `${CONTENT}\n`) });
  project = newProject("claude-agent-sdk");
  saveFiles(project, "docs/guides/claude-agent-sdk.md");
  // The lock file leaves out the program that the SDK brings.
  const options = `const options = { pathToClaudeCodeExecutable: ${JSON.stringify(claudeBinary())},`;
  const program = join(project.folder, "ask.js");
  writeFileSync(program, readFileSync(program, "utf8").replace("const options = {", options));
  server = await startModelServer({
    turns: [
      { user: SAID.why, answers: [[thinking("The log has it."), read], [text(SAID.answer)]] },
      { user: SAID.next, answers: [[text(SAID.advice)]] },
    ],
  });
});

afterAll(async () => {
  await server?.close();
  project?.remove();
  for (const sandbox of [first, second]) await sandbox?.[Symbol.asyncDispose]();
});

/** Runs the guide's program in a home of its own, as a container does; returns the session's id. */
async function ask(sandbox: Sandbox, ...args: readonly string[]): Promise<string> {
  const env = sandbox.environment({
    CLAUDE_CONFIG_DIR: join(sandbox.root, ".claude"),
    ANTHROPIC_BASE_URL: server.url,
    ANTHROPIC_API_KEY: "a-key-for-tests",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
  });
  const output = await project.run("ask.js", { args: [first.project, ...args], env });
  return /^([\da-f-]{36}): /u.exec(output)?.[1] ?? output;
}

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

/** The command on the second machine, where it uses the store of the program. */
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
