/**
 * After `continuo setup`, the real agents hand their own session over: a person types the added command (in Codex, the
 * name of the skill), the agent's model follows its text, and another agent has the conversation.
 */

import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "vitest";
import { type ModelServer, startModelServer } from "../../model-servers/index.ts";
import { openClaude } from "../claude/driver.ts";
import { threadIdIn } from "../codex/app-server.ts";
import { openCodex } from "../codex/driver.ts";
import { openGemini } from "../gemini/driver.ts";
import { continuoReady } from "../mcp/codex-ready.ts";
import { openOpencode } from "../opencode/driver.ts";
import { openPi } from "../pi/driver.ts";
import { makeSandbox } from "../sandbox.ts";
import { expectHandedOver, SAID, scriptOf } from "./hand-over-setup.ts";
import { sentTo, setUp } from "./stage.ts";

test("Claude Code hands its session over to Codex", async () => {
  await using sandbox = await makeSandbox();
  const tools = { recall: "mcp__continuo__recall", shell: "Bash" };
  await using server: ModelServer = await startModelServer(
    scriptOf(["claude", "codex"], tools, () => sentTo(server)),
  );
  const claude = await openClaude(sandbox, server.url, "full");
  const settings = { permissions: { allow: ["mcp__continuo"] }, env: { ENABLE_TOOL_SEARCH: "false" } };
  await sandbox.write(".claude/settings.json", JSON.stringify(settings));
  await setUp("claude", sandbox, claude.environment);
  await claude.say([SAID, "/continuo-handoff codex"]);
  await expectHandedOver({ server, sandbox, environment: claude.environment, to: "codex" });
});

test("Codex hands its session over to pi when the person names the skill", async () => {
  await using sandbox = await makeSandbox();
  const tools = { recall: "recall", shell: "exec_command" };
  await using server: ModelServer = await startModelServer(
    scriptOf(["codex", "pi"], tools, () => sentTo(server)),
  );
  const codex = await openCodex(sandbox, server.url);
  const config = await readFile(join(codex.home, "config.toml"), "utf8");
  // With this model, Codex offers all tools at once.
  await sandbox.write(".codex/config.toml", config.replace('"gpt-5.5"', '"scripted"'));
  await setUp("codex", sandbox, codex.environment);
  await using app = await codex.appServer();
  const threadId = threadIdIn(await app.request("thread/start", { cwd: sandbox.project }));
  await continuoReady(app);
  await app.turn(threadId, SAID);
  await app.turn(threadId, "$continuo Hand this session over to: pi");
  await expectHandedOver({ server, sandbox, environment: codex.environment, to: "pi" });
});

test("Gemini CLI hands its session over to Claude Code", async () => {
  await using sandbox = await makeSandbox();
  const tools = { recall: "mcp_continuo_recall", shell: "run_shell_command" };
  const script = scriptOf(["gemini", "claude"], tools, () => sentTo(server));
  await using server: ModelServer = await startModelServer({ ...script, strict: false });
  const gemini = await openGemini(sandbox, server.url);
  await setUp("gemini", sandbox, gemini.environment);
  const sessionId = randomUUID();
  await gemini.say(SAID, { sessionId });
  await gemini.say("/continuo-handoff claude", { resume: sessionId });
  await expectHandedOver({ server, sandbox, environment: gemini.environment, to: "claude" });
});

test("opencode hands its session over to Gemini CLI", async () => {
  await using sandbox = await makeSandbox();
  const tools = { recall: "continuo_recall", shell: "bash" };
  await using server: ModelServer = await startModelServer(
    scriptOf(["opencode", "gemini"], tools, () => sentTo(server)),
  );
  const opencode = await openOpencode(sandbox, server.url);
  await setUp("opencode", sandbox, opencode.environment);
  await using serving = await opencode.serve();
  const session = await serving.create();
  await serving.say(session, SAID);
  const command = { command: "continuo-handoff", arguments: "gemini" };
  await serving.request("POST", `/session/${session}/command`, command);
  await expectHandedOver({ server, sandbox, environment: opencode.environment, to: "gemini" });
});

test("pi hands its session over to Codex", async () => {
  await using sandbox = await makeSandbox();
  const tools = { recall: "mcp__continuo__recall", shell: "bash" };
  await using server: ModelServer = await startModelServer(
    scriptOf(["pi", "codex"], tools, () => sentTo(server)),
  );
  const pi = await openPi(sandbox, server.url);
  await setUp("pi", sandbox, pi.environment);
  await using talk = pi.talk({ withExtensions: true, withSkills: true });
  await talk.say(SAID);
  await talk.say("/continuo-handoff codex");
  await expectHandedOver({ server, sandbox, environment: pi.environment, to: "codex" });
});
