/** `session copy`: the last answer of a session on the clipboard. */

import { spawnSync } from "node:child_process";
import { type CatalogSession, openCatalogSession } from "@continuo/agents/catalog";
import { findProgram } from "@continuo/agents/drivers/process";
import { ContinuoError, shellWord, textOf } from "@continuo/core/model";
import { messageKind } from "@continuo/core/transcript";
import { locate } from "../../notices/index.ts";
import { plural, type Shell } from "../../terminal/index.ts";

/** The number of base64 characters that terminals accept in one sequence. */
const MAX_OSC_CHARS = 100_000;
const WAIT_MS = 5_000;

export async function runCopy(id: string, shell: Shell): Promise<number> {
  using session = await openCatalogSession(await locate(id, shell), shell);
  const text = await lastAnswerOf(session);
  const { agent, sessionId } = session.details;
  const ref = `${agent}:${sessionId}`;
  if (text === null) throw new ContinuoError("not_found", `session ${ref} has no answer`);
  const where = toClipboard(text, ref, shell);
  shell.stderr.write(`copied the last answer, ${plural(text.length, "character")}, ${where}\n`);
  return 0;
}

/** The agent's last message that has text; calls and thinking are not part of an answer. */
async function lastAnswerOf(session: CatalogSession): Promise<string | null> {
  let answer: string | null = null;
  for await (const message of session.history()) {
    const text = messageKind(message) === "agent" ? textOf(message.content).trim() : "";
    if (text !== "") answer = text;
  }
  return answer;
}

/**
 * Returns words for the way in which it was copied. Errors: `unsupported` if there is neither a clipboard nor a
 * terminal, `too_large`.
 */
function toClipboard(text: string, ref: string, shell: Shell): string {
  const program = clipboardOf(shell);
  if (program !== null) {
    const [command = "", ...args] = program;
    // The output is not captured, because some of these programs stay in the background, and keep inherited streams
    // open.
    const { status } = spawnSync(command, args, {
      input: text,
      env: { ...shell.env },
      stdio: ["pipe", "ignore", "ignore"],
      timeout: WAIT_MS,
    });
    if (status === 0) return `with ${command}`;
  }
  const stream = [shell.stdout, shell.stderr].find(({ isTTY }) => isTTY === true);
  if (stream === undefined) {
    throw new ContinuoError("unsupported", "cannot copy: there is no clipboard and no terminal", {
      hint: `Run \`continuo session export ${shellWord(ref)}\` to print the session.`,
    });
  }
  const base64 = Buffer.from(text).toString("base64");
  if (base64.length > MAX_OSC_CHARS) {
    throw new ContinuoError(
      "too_large",
      `the last answer is too long for a terminal: ${plural(text.length, "character")}`,
      {
        hint: `Run \`continuo session export ${shellWord(ref)} --output FILE\` to write the session to a file.`,
      },
    );
  }
  // OSC 52: the terminal puts it on the clipboard of the person in front of it, also through ssh.
  stream.write(`\u001b]52;c;${base64}\u0007`);
  return "where the terminal allows it";
}

/**
 * The system's own program is used, except through ssh, where its clipboard would be on the other machine. tmux drops
 * OSC 52 of its programs unless `set-clipboard` is on, which is not the default (3.3a), but it passes on what it loads
 * itself.
 */
function clipboardOf({ env, cwd }: Shell): readonly string[] | null {
  const isHere = env.SSH_CONNECTION === undefined && env.SSH_TTY === undefined;
  const candidates: readonly (readonly [boolean, readonly string[]])[] = [
    [isHere && process.platform === "darwin", ["pbcopy"]],
    [isHere && env.WAYLAND_DISPLAY !== undefined, ["wl-copy"]],
    [isHere && env.DISPLAY !== undefined, ["xclip", "-selection", "clipboard"]],
    [isHere && env.DISPLAY !== undefined, ["xsel", "--clipboard", "--input"]],
    [env.TMUX !== undefined, ["tmux", "load-buffer", "-w", "-"]],
  ];
  const found = candidates.find(
    ([isThere, [command = ""]]) => isThere && findProgram(command, env.PATH ?? "", cwd) !== null,
  );
  return found?.[1] ?? null;
}
