/**
 * The caller's MCP servers with the real agents: they start with their arguments and variables, in a new session and in
 * a resumed one, and none of these values appears in the arguments or the environment of the agent's program.
 */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentName, ToolServer } from "@continuo/core/model";
import { expect, test } from "vitest";
import { openAgent } from "../../../packages/agents/src/drivers/open-agent.ts";
import { startModelServer } from "../../model-servers/index.ts";
import { makeSandbox } from "../sandbox.ts";
import { SUBJECTS } from "./subjects/index.ts";

const SERVER = join(import.meta.dirname, "tool-server.js");
const TOKEN = "a-token-of-the-caller";
/** Claude Code and Gemini CLI replace variables in values, but not in those of the caller. */
const LITERAL_TOKEN = `${TOKEN}-\${HOME}-$HOME`;

/**
 * pi takes servers only from its own files; Copilot accepts those of its client but starts none (1.0.102, without an
 * account).
 */
const TAKES: Readonly<Record<AgentName, boolean>> = {
  claude: true,
  codex: true,
  gemini: true,
  opencode: true,
  copilot: false,
  pi: false,
};

test.each(Object.entries(TAKES))(
  "%s starts the caller's server, or the driver reports it as left out",
  async (name, takes) => {
    await using sandbox = await makeSandbox();
    await using server = await startModelServer();
    const { cwd, driver } = await SUBJECTS[name as AgentName].prepare(sandbox, server.url);
    const log = join(sandbox.root, "given.log");
    const given: ToolServer = {
      name: "given",
      command: process.execPath,
      args: [SERVER, log],
      env: { GIVEN_TOKEN: LITERAL_TOKEN },
    };
    const starts = (): number => {
      const text = existsSync(log) ? readFileSync(log, "utf8") : "";
      return text.split("\n").filter((line) => line === JSON.stringify({ method: "tools/list" })).length;
    };
    const say = async (resumeSessionId: string | undefined, wanted: number): Promise<string> => {
      const named = resumeSessionId === undefined ? {} : { resumeSessionId };
      await using conversation = await (await driver()).open({ cwd, toolServers: [given], ...named });
      expect(conversation.leftOutServers ?? []).toEqual(takes ? [] : ["given"]);
      await Array.fromAsync(conversation.prompt([{ type: "text", text: "Say something." }]));
      expect(ofPrograms("cmdline").filter(({ text }) => text.includes(TOKEN))).toEqual([]);
      const withToken = ofPrograms("environ").filter(({ text }) => text.includes(TOKEN));
      const commands = ofPrograms("cmdline").filter(({ pid }) => withToken.some((one) => one.pid === pid));
      expect(commands.filter(({ text }) => !text.includes(SERVER))).toEqual([]);
      if (takes) await expect.poll(starts, { timeout: 20_000 }).toBeGreaterThanOrEqual(wanted);
      return conversation.sessionId;
    };
    const sessionId = await say(undefined, 1);
    await say(sessionId, takes ? starts() + 1 : 0);
    expect(existsSync(log)).toBe(takes);
    if (takes) expect(readFileSync(log, "utf8")).toContain(JSON.stringify({ token: LITERAL_TOKEN }));
  },
);

test("Gemini CLI in a folder that is not trusted starts no server of the caller, and reports it as left out", async () => {
  await using sandbox = await makeSandbox();
  await using server = await startModelServer();
  const { cwd, command, environment } = await SUBJECTS.gemini.prepare(sandbox, server.url);
  const { GEMINI_CLI_TRUST_WORKSPACE: _, ...env } = environment;
  const driver = await openAgent("gemini", { places: { home: sandbox.root, env }, command });
  const log = join(sandbox.root, "given.log");
  const given = { name: "given", command: process.execPath, args: [SERVER, log], env: {} };
  await using conversation = await driver.open({ cwd, toolServers: [given] });
  await Array.fromAsync(conversation.prompt([{ type: "text", text: "Say something." }]));
  expect({ leftOut: conversation.leftOutServers, isStarted: existsSync(log) }).toEqual({
    leftOut: ["given"],
    isStarted: false,
  });
});

interface ProgramText {
  readonly pid: string;
  readonly text: string;
}

/** The arguments of all programs, which every user of this machine can read, or their environment. */
function ofPrograms(file: "cmdline" | "environ"): readonly ProgramText[] {
  return readdirSync("/proc").flatMap((pid) => {
    if (!/^\d+$/u.test(pid)) return [];
    try {
      return [{ pid, text: readFileSync(join("/proc", pid, file), "utf8") }];
    } catch {
      // It has ended.
      return [];
    }
  });
}
