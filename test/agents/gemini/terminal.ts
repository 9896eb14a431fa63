/** Gemini CLI's interface in a terminal (tmux): the only place where a person can go back in a session. */

import { join } from "node:path";
import { type ProgramResult, runProgram, type Sandbox } from "../sandbox.ts";
import { type Gemini, geminiProgram } from "./driver.ts";

const LOOK_EVERY_MS = 200;
/** A start takes some seconds. This limit is reached only if the interface of Gemini CLI has changed. */
const MOST_LOOKS = 300;
const LOOKS_BEFORE_A_KEY = 25;

interface Terminal {
  tmux(...args: readonly string[]): Promise<ProgramResult>;
  /**
   * Reads the screen until it is as expected, and sometimes presses the keys again, because a busy interface loses
   * keys.
   */
  until(isThere: (screen: string) => boolean, ...key: readonly string[]): Promise<void>;
}

async function inTerminal(
  sandbox: Sandbox,
  gemini: Gemini,
  flags: readonly string[],
  use: (terminal: Terminal) => Promise<void>,
): Promise<void> {
  const socket = join(sandbox.tmp, "tmux");
  const tmux = (...args: readonly string[]): Promise<ProgramResult> =>
    runProgram("tmux", ["-S", socket, "-f", "/dev/null", ...args], {
      cwd: sandbox.project,
      env: { ...gemini.environment, TERM: "xterm-256color" },
    });
  const until = async (isThere: (screen: string) => boolean, ...key: readonly string[]): Promise<void> => {
    let screen = "";
    for (let look = 0; look < MOST_LOOKS; look++) {
      screen = (await tmux("capture-pane", "-p")).stdout;
      if (isThere(screen)) return;
      if (key.length > 0 && look % LOOKS_BEFORE_A_KEY === 0) await tmux("send-keys", ...key);
      await new Promise((next) => setTimeout(next, LOOK_EVERY_MS));
    }
    throw new Error(`the screen never matched ${isThere}; the terminal shows:\n${screen}`);
  };
  const start = [process.execPath, geminiProgram(), "--model", "gemini-2.5-flash", ...flags];
  await tmux("new-session", "-d", "-x", "120", "-y", "40", ...start);
  try {
    await until((screen) => screen.includes("Type your message"));
    await use({ tmux, until });
  } finally {
    await tmux("kill-server");
  }
}

/**
 * Undoes the last message of the person and the turn after it. Gemini CLI counts the result of a tool as a message of
 * the person too, so the last turn must not use tools.
 */
export async function rewindInTerminal(sandbox: Sandbox, gemini: Gemini, sessionId: string): Promise<void> {
  await inTerminal(sandbox, gemini, ["--resume", sessionId], async ({ tmux, until }) => {
    const seen = (words: string, ...key: readonly string[]): Promise<void> =>
      until((screen) => screen.includes(words), ...key);
    await tmux("send-keys", "-l", "/rewind");
    await seen("Jump back to a specific message");
    await seen("● Stay at current position", "Enter");
    await until((screen) => screen.includes("● ") && !screen.includes("● Stay"), "Up");
    await seen("Rewind conversation", "Enter");
    await seen("(/directory)", "Enter");
  });
}

export interface QueuedPrompts {
  readonly sessionId: string;
  /** The prompt whose turn runs while the other prompts are typed. */
  readonly first: string;
  readonly queued: readonly string[];
  /** Lets the first turn end. */
  readonly end: () => Promise<unknown>;
  /** The answer to the queued prompts. */
  readonly answer: string;
}

/** Types prompts while the agent works on the first one, and waits until the agent has answered them. */
export async function queueInTerminal(
  sandbox: Sandbox,
  gemini: Gemini,
  { sessionId, first, queued, end, answer }: QueuedPrompts,
): Promise<void> {
  const flags = ["--approval-mode", "yolo", "--resume", sessionId];
  await inTerminal(sandbox, gemini, flags, async ({ tmux, until }) => {
    const type = async (words: string): Promise<void> => {
      await tmux("send-keys", "-l", words);
      await until((screen) => screen.includes(words));
      await tmux("send-keys", "Enter");
    };
    await type(first);
    await until((screen) => screen.includes("esc to cancel"));
    for (const words of queued) await type(words);
    await until((screen) => /queued/iu.test(screen));
    await end();
    await until((screen) => screen.includes(answer) && !screen.includes("esc to cancel"));
  });
}
