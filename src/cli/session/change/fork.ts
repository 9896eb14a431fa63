/** `session fork`: creates a new session with the same history, and shows how to continue it. */

import { forkOwn, type LocatedSession, type OwnRow, openOwnAgain } from "@continuo/agents/catalog";
import { commandLine, present } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import { placesOf } from "@continuo/files";
import { type ForkedSession, forkNativeSession } from "@continuo/native/editing";
import { locate } from "../../notices/index.ts";
import { createOutput, plural, type Shell, tildePath, toJsonText } from "../../terminal/index.ts";

export interface ForkFlags {
  readonly at?: string;
  readonly json?: true;
}

/** The new session, native or own; an own session may have no folder. */
type Fork = Omit<ForkedSession, "agent" | "cwd"> & { readonly agent: string; readonly cwd: string | null };

export async function runFork(id: string, flags: ForkFlags, shell: Shell): Promise<number> {
  const located = await locate(id, shell, "without examples");
  const fork =
    located.kind === "own"
      ? await forkOfOwn(located.row, flags, shell)
      : await forkOfNative(located.native, flags, shell);
  const output = createOutput(shell.stdout);
  if (flags.json) {
    await output.write(`${toJsonText(fork, 2)}\n`);
    return 0;
  }
  const { agent, sessionId, title, location, cwd, messages, resumeCommand } = fork;
  const lines = [
    `${agent}:${sessionId}${title === null ? "" : `  ${title}`}`,
    tildePath(location, shell.home),
    `${plural(messages, "message")} of ${agent}:${fork.forkedFrom}`,
    "",
    "Continue it with:",
    `  ${commandLine(cwd, resumeCommand)}`,
  ];
  await output.write(`${lines.map(visibleLine).join("\n")}\n`);
  return 0;
}

async function forkOfNative({ found }: LocatedSession, { at }: ForkFlags, shell: Shell): Promise<Fork> {
  return await forkNativeSession(found, present({ places: placesOf(shell), cwd: shell.cwd, at }));
}

async function forkOfOwn(row: OwnRow, { at }: ForkFlags, shell: Shell): Promise<Fork> {
  await using own = await openOwnAgain(shell);
  const { session, messages } = await forkOwn(row, own, at);
  const { sessionId, title, cwd } = session;
  return {
    agent: row.agent,
    sessionId,
    title,
    cwd,
    messages,
    forkedFrom: row.sessionId,
    location: `${own.location}#${sessionId}`,
    resumeCommand: ["continuo", "repl", "--resume", sessionId],
  };
}
