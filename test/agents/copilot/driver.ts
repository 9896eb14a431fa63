/** Drives the real GitHub Copilot CLI without an account: `copilot -p` for single turns, `copilot --acp` for several. */

import { join } from "node:path";
import { present } from "@continuo/core/model";
import { type AcpClient, startAcp } from "../acp.ts";
import { PINNED, packageFolder } from "../install.ts";
import { type LineProgram, type ProgramResult, runProgram, type Sandbox, startProgram } from "../sandbox.ts";

export interface SayOptions {
  /** A new session gets this id. */
  readonly sessionId?: string;
  readonly resume?: string;
  readonly cwd?: string;
  /** Paths of files that belong to the prompt. */
  readonly attachments?: readonly string[];
}

export interface Copilot {
  /** The value of `COPILOT_HOME`. */
  readonly home: string;
  readonly environment: Readonly<Record<string, string>>;
  /** The command that starts it. */
  readonly program: readonly string[];
  /** Starts Copilot and sends one prompt. Throws if the turn fails. */
  say(words: string, options?: SayOptions): Promise<string>;
  /** Sends a prompt that the model refuses. */
  sayInVain(words: string, options?: SayOptions): Promise<ProgramResult>;
  /** Starts a turn that the caller ends. */
  start(words: string, options?: SayOptions): LineProgram;
  acp(cwd?: string): Promise<AcpClient>;
}

/** Copilot knows this model, so Copilot knows its context window and uses thinking with it. */
const MODEL = "claude-sonnet-4.6";

/** In offline mode Copilot sends requests only to the configured provider and needs no account (seen in 1.0.102). */
export async function openCopilot(sandbox: Sandbox, modelUrl: string): Promise<Copilot> {
  const home = join(sandbox.root, ".copilot");
  const environment = sandbox.environment({
    COPILOT_HOME: home,
    COPILOT_OFFLINE: "true",
    COPILOT_AUTO_UPDATE: "false",
    COPILOT_PROVIDER_TYPE: "anthropic",
    COPILOT_PROVIDER_BASE_URL: modelUrl,
    COPILOT_PROVIDER_API_KEY: "a-key-for-tests",
    COPILOT_MODEL: MODEL,
    // The program unpacks itself into this folder, once for all sandboxes.
    XDG_CACHE_HOME: join(packageFolder(PINNED.copilot), "../../cache"),
  });
  const program = [copilotProgram()];
  const wordsOf = (words: string, options: SayOptions): readonly string[] => [
    ...(options.sessionId === undefined ? [] : ["--session-id", options.sessionId]),
    ...(options.resume === undefined ? [] : ["--resume", options.resume]),
    ...(options.attachments ?? []).flatMap((path) => ["--attachment", path]),
    ...["--allow-all-tools", "--reasoning-effort", "high", "--silent", "--prompt", words],
  ];
  const run = (words: string, options: SayOptions): Promise<ProgramResult> =>
    runProgram(copilotProgram(), wordsOf(words, options), {
      cwd: options.cwd ?? sandbox.project,
      env: environment,
    });
  return {
    home,
    environment,
    program,
    async say(words, options = {}) {
      const { code, stdout, stderr } = await run(words, options);
      if (code !== 0) throw new Error(`copilot failed (exit ${code}): ${stderr}${stdout}`);
      return stdout.trim();
    },
    sayInVain: (words, options = {}) => run(words, options),
    start: (words, options = {}) =>
      startProgram(copilotProgram(), wordsOf(words, options), {
        cwd: options.cwd ?? sandbox.project,
        env: environment,
      }),
    async acp(cwd = sandbox.project) {
      const args = ["--acp", "--allow-all-tools"];
      const started = startProgram(copilotProgram(), args, { cwd, env: environment });
      return await startAcp(started, { cwd });
    },
  };
}

/** The variables of Copilot that Continuo reads. */
export function copilotPlaces({ home, environment }: Copilot): Readonly<Record<string, string>> {
  return { COPILOT_HOME: home, ...present({ XDG_CACHE_HOME: environment.XDG_CACHE_HOME }) };
}

/** The file of a session in Copilot's home. */
export function sessionFileIn(home: string, sessionId: string): string {
  return join(home, "session-state", sessionId, "events.jsonl");
}

function copilotProgram(): string {
  return join(packageFolder(PINNED.copilot), PINNED.copilot.proof);
}
