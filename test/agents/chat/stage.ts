/** `continuo` as a person has it: real agents on its search path, their model a scripted server. */

import { join } from "node:path";
import type { AgentName } from "@continuo/core/model";
import { MAIN } from "../../cli/home.ts";
import { openTerminal, type Terminal } from "../../cli/tmux.ts";
import { type ModelServer, type Script, startModelServer } from "../../model-servers/index.ts";
import { SUBJECTS } from "../drivers/subjects/index.ts";
import { normaliseRequest } from "../requests.ts";
import {
  type LineProgram,
  makeSandbox,
  type ProgramResult,
  runProgram,
  type Sandbox,
  startProgram,
} from "../sandbox.ts";

export interface Stage extends AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly server: ModelServer;
  continuo(...args: readonly string[]): Promise<ProgramResult>;
  /** Another program, in the same environment. */
  run(command: string, args: readonly string[]): Promise<ProgramResult>;
  /** Another program that runs in parallel with the test, in the same environment. */
  startProgram(command: string, args: readonly string[]): LineProgram;
  /** A command that runs in parallel with the test, such as `serve`. */
  start(args: readonly string[], more?: Readonly<Record<string, string>>): LineProgram;
  /** `continuo repl` in a terminal, ready for the first line. */
  repl(...args: readonly string[]): Promise<Terminal>;
  /**
   * All text of the newest request of a conversation, by role; `agent` names the agent whose protocol the request must
   * use.
   */
  newest(): readonly (readonly [role: string, words: string])[];
}

const TURN_LIMIT_MS = 240_000;

export async function stage(agents: readonly AgentName[], script: Script = {}): Promise<Stage> {
  const sandbox = await makeSandbox();
  const server = await startModelServer(script);
  let env: Record<string, string> = {};
  const configured: Record<string, unknown> = {};
  for (const name of agents) {
    const { environment, command } = await SUBJECTS[name].prepare(sandbox, server.url);
    const [program = "", ...args] = command;
    env = { ...env, ...environment };
    configured[name] = { command: program, args };
  }
  // JSON is YAML.
  await sandbox.write(".continuo/continuo.yaml", JSON.stringify({ agent: agents[0], agents: configured }));
  const terminals: Terminal[] = [];
  return {
    sandbox,
    server,
    continuo: (...args) =>
      runProgram(process.execPath, [MAIN, ...args], {
        cwd: sandbox.project,
        env,
        timeoutMs: TURN_LIMIT_MS,
      }),
    run: (command, args) =>
      runProgram(command, args, { cwd: sandbox.project, env, timeoutMs: TURN_LIMIT_MS }),
    startProgram: (command, args) =>
      startProgram(command, args, { cwd: sandbox.project, env, timeoutMs: TURN_LIMIT_MS }),
    start: (args, more = {}) =>
      startProgram(process.execPath, [MAIN, ...args], {
        cwd: sandbox.project,
        env: { ...env, ...more },
        timeoutMs: TURN_LIMIT_MS,
      }),
    async repl(...args) {
      const words = Object.entries(env).map(([name, value]) => `export ${name}=${quote(value)}`);
      await sandbox.write("environment", `${words.join("\n")}\nexport TERM=xterm-256color\n`);
      const terminal = openTerminal(
        { path: sandbox.root, write: () => undefined, [Symbol.dispose]: () => undefined },
        80,
        40,
      );
      terminals.push(terminal);
      const command = [process.execPath, MAIN, "repl", ...args].map(quote).join(" ");
      terminal.type(
        `. '${join(sandbox.root, "environment")}'; cd '${sandbox.project}'; clear; ${command}; echo code=$?`,
      );
      // The folder is new to Continuo only for the first call.
      const isReady = (screen: string): boolean => screen.includes("/help") && /^❯ *$/mu.test(screen);
      const first = await terminal.until((screen) => isReady(screen) || screen.includes("only this time"));
      if (!isReady(first)) {
        terminal.write("y");
        await terminal.until(isReady);
      }
      return terminal;
    },
    newest() {
      const request = server.conversation().at(-1);
      if (request === undefined) throw new Error("the model was asked nothing");
      return normaliseRequest(request).flatMap((item) =>
        item.kind === "text" ? [[item.role, item.text] as const] : [],
      );
    },
    async [Symbol.asyncDispose]() {
      for (const terminal of terminals) terminal.close();
      await server.close();
      await sandbox[Symbol.asyncDispose]();
    },
  };
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** Returns the session that `chat` reported. */
export function sessionIn(stderr: string): string {
  const id = /session ([0-9a-f-]{36})/u.exec(stderr)?.[1];
  if (id === undefined) throw new Error(`no session was told: ${stderr}`);
  return id;
}

/** Returns the agent's own session that `chat` reported. */
export function nativeIn(stderr: string, agent: AgentName): string {
  const id = new RegExp(`${agent}:(\\S+)`, "u").exec(stderr)?.[1];
  if (id === undefined) throw new Error(`no session of ${agent} was told: ${stderr}`);
  return id;
}
