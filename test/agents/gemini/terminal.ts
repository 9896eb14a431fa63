/** Gemini CLI's interface in a terminal (tmux): the only place where a person can go back in a session. */

import { join } from "node:path";
import { type ProgramResult, runProgram, type Sandbox } from "../sandbox.ts";
import { type Gemini, geminiProgram } from "./driver.ts";

const LOOK_EVERY_MS = 200;
/** A start takes seconds; only an interface that changed meets this limit. */
const MOST_LOOKS = 300;
const LOOKS_BEFORE_A_KEY = 25;

/**
 * Goes back to before the last thing that the person said. Gemini CLI counts results of tools as such a thing:
 * the last turn must be one without tools.
 */
export async function rewindInTerminal(sandbox: Sandbox, gemini: Gemini, sessionId: string): Promise<void> {
  const socket = join(sandbox.tmp, "tmux");
  const tmux = (...args: readonly string[]): Promise<ProgramResult> =>
    runProgram("tmux", ["-S", socket, "-f", "/dev/null", ...args], {
      cwd: sandbox.project,
      env: { ...gemini.environment, TERM: "xterm-256color" },
    });
  /** Looks until the screen is as it should be; now and then presses again, for a busy interface loses keys. */
  const until = async (isThere: (screen: string) => boolean, ...key: readonly string[]): Promise<void> => {
    let screen = "";
    for (let look = 0; look < MOST_LOOKS; look++) {
      screen = (await tmux("capture-pane", "-p")).stdout;
      if (isThere(screen)) return;
      if (key.length > 0 && look % LOOKS_BEFORE_A_KEY === 0) await tmux("send-keys", ...key);
      await new Promise((next) => setTimeout(next, LOOK_EVERY_MS));
    }
    throw new Error(`${isThere} did not come; the terminal shows:\n${screen}`);
  };
  const seen = (words: string, ...key: readonly string[]): Promise<void> =>
    until((screen) => screen.includes(words), ...key);
  const start = [process.execPath, geminiProgram(), "--model", "gemini-2.5-flash", "--resume", sessionId];
  await tmux("new-session", "-d", "-x", "120", "-y", "40", ...start);
  try {
    await seen("Type your message");
    await tmux("send-keys", "-l", "/rewind");
    await seen("Jump back to a specific message");
    await seen("● Stay at current position", "Enter");
    await until((screen) => screen.includes("● ") && !screen.includes("● Stay"), "Up");
    await seen("Rewind conversation", "Enter");
    await seen("(/directory)", "Enter");
  } finally {
    await tmux("kill-server");
  }
}
