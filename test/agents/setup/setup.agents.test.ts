/**
 * The real agents after `continuo setup`: a person types the added command, and the agent's model receives the skill
 * and calls the search, which finds a session of another agent. Afterwards every changed file can be restored byte for
 * byte.
 */

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  asObject,
  type ModelServer,
  type Script,
  type Step,
  startModelServer,
  text,
  tool,
} from "../../model-servers/index.ts";
import { openClaude } from "../claude/driver.ts";
import { threadIdIn } from "../codex/app-server.ts";
import { openCodex } from "../codex/driver.ts";
import { openGemini } from "../gemini/driver.ts";
import { continuoReady } from "../mcp/codex-ready.ts";
import { writeOtherSession } from "../mcp/other-session.ts";
import { openOpencode } from "../opencode/driver.ts";
import { openPi } from "../pi/driver.ts";
import { runContinuo } from "../proof.ts";
import { makeSandbox } from "../sandbox.ts";
import { expectSent, setUp } from "./stage.ts";

/** A person types this command, and the agent makes a prompt from the added file. */
const TYPED = "/continuo-search lighthouse";
const EXPANDED = "sessions of all coding agents on this machine for: lighthouse";
const SKILL = "Finds what was said and done in earlier sessions of any coding agent";

/** @param name the name of the tool in this agent */
function scriptOf(name: string): Script {
  const search: Step = tool(name, { query: "lighthouse" });
  return { turns: [{ user: "lighthouse", answers: [[search], [text("It was found.")]] }] };
}

function expectFound(server: ModelServer): void {
  expectSent(server, "closed on Tuesdays");
}

test("Claude Code has the skill, the command, the search, and copies its session when it ends", async () => {
  await using sandbox = await makeSandbox();
  await using server = await startModelServer(scriptOf("mcp__continuo__search"));
  const claude = await openClaude(sandbox, server.url, "full");
  await writeOtherSession(sandbox);
  const settings = { permissions: { allow: ["mcp__continuo"] }, env: { ENABLE_TOOL_SEARCH: "false" } };
  await sandbox.write(".claude/settings.json", JSON.stringify(settings));
  await setUp("claude", sandbox, claude.environment);
  await claude.say([TYPED]);
  expectSent(server, EXPANDED);
  expectSent(server, SKILL);
  expectFound(server);
  const { stdout } = await runContinuo(["guard", "status", "--json"], sandbox, claude.environment);
  expect(JSON.parse(stdout)).toMatchObject({ on: true, copies: { sessions: 1 } });
});

test("Codex has the skill and the search", async () => {
  await using sandbox = await makeSandbox();
  await using server = await startModelServer(scriptOf("search"));
  const codex = await openCodex(sandbox, server.url);
  await writeOtherSession(sandbox, "claude");
  const config = await readFile(join(codex.home, "config.toml"), "utf8");
  // With this model, Codex offers all tools at once.
  await sandbox.write(".codex/config.toml", config.replace('"gpt-5.5"', '"scripted"'));
  await setUp("codex", sandbox, codex.environment);
  await using app = await codex.appServer();
  const threadId = threadIdIn(await app.request("thread/start", { cwd: sandbox.project }));
  await continuoReady(app);
  await app.turn(threadId, "Find the lighthouse.");
  expectSent(server, SKILL);
  expectFound(server);
});

test("Gemini CLI has the skill, the command and the search", async () => {
  await using sandbox = await makeSandbox();
  await using server = await startModelServer({ ...scriptOf("mcp_continuo_search"), strict: false });
  const gemini = await openGemini(sandbox, server.url);
  await writeOtherSession(sandbox);
  await setUp("gemini", sandbox, gemini.environment);
  // The system prompt of the other tests has no skills.
  const { stdout, stderr } = await gemini.command(["skills", "list"]);
  expect(stdout + stderr).toContain(SKILL);
  await gemini.say(TYPED);
  expectSent(server, EXPANDED);
  expectFound(server);
});

test("opencode has the skill, the command and the search", async () => {
  await using sandbox = await makeSandbox();
  await using server = await startModelServer(scriptOf("continuo_search"));
  const opencode = await openOpencode(sandbox, server.url);
  await writeOtherSession(sandbox);
  await setUp("opencode", sandbox, opencode.environment);
  await using serving = await opencode.serve();
  const session = await serving.create();
  await serving.request("POST", `/session/${session}/command`, {
    command: "continuo-search",
    arguments: "lighthouse",
  });
  expectSent(server, EXPANDED);
  expectSent(server, SKILL);
  expectFound(server);
});

test("pi has the skill, the command and the search", async () => {
  await using sandbox = await makeSandbox();
  await using server = await startModelServer(scriptOf("mcp__continuo__search"));
  const pi = await openPi(sandbox, server.url);
  await writeOtherSession(sandbox);
  await setUp("pi", sandbox, pi.environment);
  await using talk = pi.talk({ withExtensions: true, withSkills: true });
  await talk.say(TYPED);
  expectSent(server, EXPANDED);
  expectSent(server, SKILL);
  expectFound(server);
});

test("after Claude Code ran, its settings, skills and commands are restored byte for byte", async () => {
  await using sandbox = await makeSandbox();
  await using server = await startModelServer(scriptOf("mcp__continuo__search"));
  const claude = await openClaude(sandbox, server.url, "full");
  await writeOtherSession(sandbox);
  const own = '"permissions": { "allow": ["mcp__continuo"] },\n\t"env": { "ENABLE_TOOL_SEARCH": "false" }';
  await sandbox.write(".claude/settings.json", `{\n\t${own},\n\t"hooks": { "SessionEnd": [] }\n}`);
  await sandbox.write(".claude/commands/mine.md", "Say hello.\n");
  const before = await settingsIn(claude.configFolder);
  await setUp("claude", sandbox, claude.environment);
  const names = Object.keys(await settingsIn(claude.configFolder));
  expect(names).toContain("skills/continuo/SKILL.md");
  await claude.say([TYPED]);
  expectFound(server);
  const undone = await runContinuo(["setup", "--undo", "--yes", "claude"], sandbox, claude.environment);
  expect(undone.code).toBe(0);
  expect(await settingsIn(claude.configFolder)).toEqual(before);
  // Claude Code keeps numbers in the file with its servers, so only this file differs from before.
  const { mcpServers } = asObject(
    JSON.parse(await readFile(join(claude.configFolder, ".claude.json"), "utf8")),
  );
  expect(Object.keys(asObject(mcpServers ?? {}))).toEqual([]);
});

/** Returns the texts of the files that a person writes; files that only Claude Code writes are left out. */
async function settingsIn(folder: string): Promise<Readonly<Record<string, string>>> {
  const names = (await readdir(folder, { recursive: true })).filter((name) =>
    /^settings.*\.json$|^(?:skills|commands)\/.*\.md$/u.test(name),
  );
  const texts = names.sort().map(async (name) => [name, await readFile(join(folder, name), "utf8")] as const);
  return Object.fromEntries(await Promise.all(texts));
}
