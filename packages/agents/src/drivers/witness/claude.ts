/**
 * Claude Code reads a session back: Continuo tells it to fork the session, so it loads the conversation and writes a
 * copy, and to name the copy, which needs no model (2.1.330).
 */

import { randomUUID } from "node:crypto";
import { dirname, join } from "node:path";
import type { Message } from "@continuo/core/model";
import { claudeFormat, recogniseFile } from "@continuo/native/claude";
import { CLOSED_URL, runProgram } from "./program.ts";
import type { StagedSession, Testimony } from "./witness.ts";

/** The environment variables that keep Claude Code from a model and from the network. */
export const CLAUDE_OFFLINE: Readonly<Record<string, string>> = {
  ANTHROPIC_BASE_URL: CLOSED_URL,
  ANTHROPIC_API_KEY: "none",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  DISABLE_AUTOUPDATER: "1",
  DISABLE_TELEMETRY: "1",
  DISABLE_ERROR_REPORTING: "1",
};

export async function claudeWitness(staged: StagedSession): Promise<Testimony> {
  const copy = randomUUID();
  const args = ["--resume", staged.sessionId, "--fork-session", "--session-id", copy];
  await runProgram({
    staged,
    args: ["-p", ...args, "--output-format", "json", "/rename verified"],
    env: {
      CLAUDE_CODE_TMPDIR: join(staged.scratch, "tmp"),
      ...CLAUDE_OFFLINE,
    },
  });
  const [given, own] = [
    await messagesOf(staged, staged.file),
    await messagesOf(staged, forkOf(staged, copy)),
  ];
  const ids = new Set(given.map(({ id }) => id));
  return { by: "claude --fork-session", depth: "all", history: own.filter(({ id }) => ids.has(id)) };
}

/** The copy is in the folder of the project that Claude Code was started in: that of the session. */
function forkOf({ file }: StagedSession, copy: string): string {
  return join(dirname(file), `${copy}.jsonl`);
}

async function messagesOf({ home }: StagedSession, file: string): Promise<Message[]> {
  const found = await recogniseFile(file, home);
  if (found === null) return [];
  using opened = await claudeFormat.open(found, home, {});
  return await Array.fromAsync(opened.history());
}
