/**
 * The real agents with Continuo's package for each agent, and without `continuo setup`. A person types a command of the
 * package, the model's search finds a session of another agent, and another command hands the agent's own session over.
 */

import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import {
  asObjects,
  type ModelServer,
  type Script,
  startModelServer,
  text,
  tool,
} from "../../model-servers/index.ts";
import { scratchFolder } from "../../scratch-folder.ts";
import { claudeBinary, openClaude } from "../claude/driver.ts";
import { threadIdIn } from "../codex/app-server.ts";
import { openCodex } from "../codex/driver.ts";
import { openGemini } from "../gemini/driver.ts";
import { PINNED, packageFolder } from "../install.ts";
import { continuoReady } from "../mcp/codex-ready.ts";
import { writeOtherSession } from "../mcp/other-session.ts";
import { openOpencode } from "../opencode/driver.ts";
import { openPi } from "../pi/driver.ts";
import { runContinuo } from "../proof.ts";
import { makeSandbox, runProgram, type Sandbox } from "../sandbox.ts";
import { expectHandedOver, SAID, scriptOf, type Tools } from "./hand-over-setup.ts";
import { type Environment, expectSent, sentTo } from "./stage.ts";

const ROOT = join(import.meta.dirname, "../../..");
const packages = scratchFolder("agent-packages-used");
const programs = scratchFolder("programs-of-packages");

beforeAll(async () => {
  execFileSync(process.execPath, [join(ROOT, "scripts/agent-packages.ts"), packages]);
  // The packages start `continuo` from the search path.
  const start = `exec '${process.execPath}' '${join(ROOT, "bin/continuo.js")}' "$@"`;
  await writeFile(join(programs, "continuo"), `#!/bin/sh\n${start}\n`, { mode: 0o755 });
  process.env.PATH = [programs, process.env.PATH].join(":");
});

interface Names extends Tools {
  readonly search: string;
}

/** Returns a script with a search first, then the messages, and then the hand-over. */
function withSearch(
  agents: Parameters<typeof scriptOf>[0],
  names: Names,
  sent: () => readonly string[],
): Script {
  const script = scriptOf(agents, names, sent);
  const search = tool(names.search, { query: "lighthouse" });
  return {
    ...script,
    turns: [{ user: "lighthouse", answers: [[search], [text("It was found.")]] }, ...(script.turns ?? [])],
  };
}

function expectFound(server: ModelServer): void {
  expectSent(server, "closed on Tuesdays");
}

async function run(
  program: string,
  args: readonly string[],
  [sandbox, env]: readonly [Sandbox, Environment],
): Promise<void> {
  const { code, stdout, stderr } = await runProgram(program, args, { cwd: sandbox.project, env });
  expect(code, stdout + stderr).toBe(0);
}

test("Claude Code finds a session and hands its own over with Continuo's plugin", async () => {
  await using sandbox = await makeSandbox();
  const ofPlugin = "mcp__plugin_continuo_continuo__";
  const names = { search: `${ofPlugin}search`, recall: `${ofPlugin}recall`, shell: "Bash" };
  await using server: ModelServer = await startModelServer(
    withSearch(["claude", "pi"], names, () => sentTo(server)),
  );
  const claude = await openClaude(sandbox, server.url, "full");
  await writeOtherSession(sandbox);
  const settings = {
    permissions: { allow: ["mcp__plugin_continuo_continuo"] },
    env: { ENABLE_TOOL_SEARCH: "false" },
  };
  await sandbox.write(".claude/settings.json", JSON.stringify(settings));
  const here = [sandbox, claude.environment] as const;
  await run(claudeBinary(), ["plugin", "marketplace", "add", packages], here);
  await run(claudeBinary(), ["plugin", "install", "continuo@continuo"], here);
  await claude.say(["/continuo:continuo-search lighthouse"]);
  expectFound(server);
  await claude.say([SAID, "/continuo:continuo-handoff pi"]);
  await expectHandedOver({ server, sandbox, environment: claude.environment, to: "pi" });
});

test("Codex finds a session and hands its own over with Continuo's plugin", async () => {
  await using sandbox = await makeSandbox();
  const names = { search: "search", recall: "recall", shell: "exec_command" };
  await using server: ModelServer = await startModelServer(
    withSearch(["codex", "pi"], names, () => sentTo(server)),
  );
  const codex = await openCodex(sandbox, server.url);
  await writeOtherSession(sandbox, "claude");
  const config = await readFile(join(codex.home, "config.toml"), "utf8");
  // With this model, Codex offers all tools at once. The settings of the other tests switch plugins off.
  const own = config.replace('"gpt-5.5"', '"scripted"').replace("plugins = false", "plugins = true");
  await sandbox.write(".codex/config.toml", own);
  // Codex runs commands in a login shell, which reads the search path from `.profile`.
  await sandbox.write(".profile", `PATH='${programs}':$PATH\n`);
  await codex.command(["plugin", "marketplace", "add", packages]);
  await codex.command(["plugin", "add", "continuo@continuo"]);
  await using app = await codex.appServer();
  const threadId = threadIdIn(await app.request("thread/start", { cwd: sandbox.project }));
  await continuoReady(app);
  await app.turn(threadId, "Find the lighthouse.");
  expectFound(server);
  await app.turn(threadId, SAID);
  // A client of the app server sends the text, and the skill that a person chose.
  const [here] = asObjects((await app.request("skills/list", { cwds: [sandbox.project] })).data);
  const skill = asObjects(here?.skills).find(({ name }) => name === "continuo:continuo");
  const words = "$continuo:continuo Hand this session over to: pi";
  await app.turn(threadId, words, {
    input: [
      { type: "text", text: words, text_elements: [] },
      { type: "skill", name: "continuo:continuo", path: skill?.path },
    ],
  });
  await expectHandedOver({ server, sandbox, environment: codex.environment, to: "pi" });
});

test("Gemini CLI finds a session and hands its own over with Continuo's extension", async () => {
  await using sandbox = await makeSandbox();
  const names = {
    search: "mcp_continuo_search",
    recall: "mcp_continuo_recall",
    shell: "run_shell_command",
  };
  const script = withSearch(["gemini", "claude"], names, () => sentTo(server));
  await using server: ModelServer = await startModelServer({ ...script, strict: false });
  const gemini = await openGemini(sandbox, server.url);
  await writeOtherSession(sandbox);
  const { code } = await gemini.command(["extensions", "install", join(packages, "gemini"), "--consent"]);
  expect(code).toBe(0);
  const sessionId = randomUUID();
  await gemini.say("/continuo-search lighthouse", { sessionId });
  expectFound(server);
  await gemini.say(SAID, { resume: sessionId });
  await gemini.say("/continuo-handoff claude", { resume: sessionId });
  await expectHandedOver({ server, sandbox, environment: gemini.environment, to: "claude" });
});

test("opencode finds a session and hands its own over with Continuo's plugin", async () => {
  await using sandbox = await makeSandbox();
  const names = { search: "continuo_search", recall: "continuo_recall", shell: "bash" };
  await using server: ModelServer = await startModelServer(
    withSearch(["opencode", "gemini"], names, () => sentTo(server)),
  );
  const opencode = await openOpencode(sandbox, server.url, {
    plugin: [`file://${join(packages, "opencode")}`],
  });
  await writeOtherSession(sandbox);
  await using serving = await opencode.serve();
  const session = await serving.create();
  const type = async (command: string, words: string): Promise<unknown> =>
    await serving.request("POST", `/session/${session}/command`, { command, arguments: words });
  await type("continuo-search", "lighthouse");
  expectFound(server);
  await serving.say(session, SAID);
  await type("continuo-handoff", "gemini");
  await expectHandedOver({ server, sandbox, environment: opencode.environment, to: "gemini" });
});

test("pi finds a session and hands its own over with Continuo's package and `continuo mcp install pi`", async () => {
  await using sandbox = await makeSandbox();
  const names = { search: "mcp__continuo__search", recall: "mcp__continuo__recall", shell: "bash" };
  await using server: ModelServer = await startModelServer(
    withSearch(["pi", "claude"], names, () => sentTo(server)),
  );
  const pi = await openPi(sandbox, server.url);
  await writeOtherSession(sandbox);
  const program = join(packageFolder(PINNED.pi), PINNED.pi.proof);
  await run(process.execPath, [program, "install", join(packages, "pi")], [sandbox, pi.environment]);
  const { code } = await runContinuo(["mcp", "install", "pi", "--yes"], sandbox, pi.environment);
  expect(code).toBe(0);
  await using talk = pi.talk({ withExtensions: true, withSkills: true });
  await talk.say("/continuo-search lighthouse");
  expectFound(server);
  await talk.say(SAID);
  await talk.say("/continuo-handoff claude");
  await expectHandedOver({ server, sandbox, environment: pi.environment, to: "claude" });
});
