/** Drives the real Gemini CLI: `gemini -p` for single turns, `gemini --acp` for several in one process. */

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type AcpClient, startAcp } from "../acp.ts";
import { PINNED, packageFolder } from "../install.ts";
import { type ProgramResult, runProgram, type Sandbox, startProgram } from "../sandbox.ts";

export interface SayOptions {
  /** A new session gets this id. */
  readonly sessionId?: string;
  readonly resume?: string;
  readonly cwd?: string;
}

export interface Gemini {
  /** The value of `GEMINI_CLI_HOME`: the folder that holds `.gemini`. */
  readonly home: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Starts Gemini CLI and sends one prompt. Throws if the turn fails. */
  say(words: string, options?: SayOptions): Promise<string>;
  /** Sends a prompt that the model refuses. */
  sayInVain(words: string, options?: SayOptions): Promise<void>;
  /** Any other command, such as `--list-sessions`. */
  command(args: readonly string[], cwd?: string): Promise<ProgramResult>;
  acp(cwd?: string): Promise<AcpClient>;
}

/** A small sub-agent of the tests, so that recorded sessions contain no text that belongs to Gemini CLI. */
const HELPER = `---
name: helper
description: Counts things.
kind: local
tools:
  - read_file
  - run_shell_command
---
You count.
`;

/**
 * No session of the tests may be deleted, and no request may be made besides those of the conversation. The model is
 * named explicitly, so that Gemini CLI does not ask another model which one to use.
 */
const SETTINGS = {
  security: { auth: { selectedType: "gemini-api-key" } },
  privacy: { usageStatisticsEnabled: false },
  general: { enableAutoUpdate: false, sessionRetention: { enabled: false } },
  model: { name: "gemini-2.5-flash" },
};

const ARGUMENTS = ["--model", "gemini-2.5-flash", "--approval-mode", "yolo"] as const;

export async function openGemini(sandbox: Sandbox, modelUrl: string): Promise<Gemini> {
  const home = join(sandbox.root, "gemini-home");
  await sandbox.write("gemini-home/.gemini/settings.json", JSON.stringify(SETTINGS));
  await sandbox.write("gemini-home/.gemini/agents/helper.md", HELPER);
  const system = await sandbox.write("gemini-home/system.md", "You help with this project.\n");
  const environment = sandbox.environment({
    GEMINI_CLI_HOME: home,
    GEMINI_API_KEY: "a-key-for-tests",
    GOOGLE_GEMINI_BASE_URL: modelUrl,
    GEMINI_CLI_TRUST_WORKSPACE: "true",
    GEMINI_SYSTEM_MD: system,
    // Without this, Gemini CLI would start itself again, in a second process with more memory.
    GEMINI_CLI_NO_RELAUNCH: "true",
  });
  const command = (args: readonly string[], cwd = sandbox.project): Promise<ProgramResult> =>
    runProgram(process.execPath, [geminiProgram(), ...args], { cwd, env: environment });
  const say = (words: string, options: SayOptions): Promise<ProgramResult> =>
    command([...ARGUMENTS, ...argumentsOf(options), "--prompt", words], options.cwd);
  return {
    home,
    environment,
    command,
    async say(words, options = {}) {
      const { code, stdout, stderr } = await say(words, options);
      if (code !== 0) throw new Error(`gemini failed (exit ${code}): ${stderr}`);
      return stdout.trim();
    },
    async sayInVain(words, options = {}) {
      const { code } = await say(words, options);
      if (code === 0) throw new Error("gemini answered a prompt that the model should have refused");
    },
    async acp(cwd = sandbox.project) {
      const args = [geminiProgram(), "--acp", ...ARGUMENTS];
      const program = startProgram(process.execPath, args, { cwd, env: environment });
      return await startAcp(program, { cwd, authMethod: "gemini-api-key" });
    },
  };
}

/** Returns the full paths of the session files in Gemini CLI's home. */
export async function sessionFilesIn(home: string): Promise<string[]> {
  const projects = join(home, ".gemini", "tmp");
  const names = await readdir(projects, { recursive: true });
  return names.filter((name) => /^[^/]+\/chats\/session-/u.test(name)).map((name) => join(projects, name));
}

export function geminiProgram(): string {
  return join(packageFolder(PINNED.gemini), PINNED.gemini.proof);
}

function argumentsOf(options: SayOptions): readonly string[] {
  return [
    ...(options.sessionId === undefined ? [] : ["--session-id", options.sessionId]),
    ...(options.resume === undefined ? [] : ["--resume", options.resume]),
  ];
}
