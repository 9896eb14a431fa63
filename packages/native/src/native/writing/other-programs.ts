/** Finds other programs that have a native session open now. They would not see what this program writes. */

import { holdersOf, type NativeSessionKey, writersOf } from "@continuo/files";
import type { AgentReader } from "../kit/index.ts";

export interface SharedSession extends NativeSessionKey {
  readonly reader: Pick<AgentReader, "agent" | "processesWith">;
  /** The session's files: a program that has one open for writing counts too. */
  readonly files?: readonly string[];
  /** True for the caller itself and for the processes that belong to it. */
  isOwn(pid: number): boolean;
}

export interface OtherProgram {
  readonly pid: number;
  /** `continuo`, or the name of the agent. */
  readonly program: string;
}

/**
 * Programs are found by the notes of Continuo and of its hooks, by the agent's own notes (Claude Code), and by open files
 * (Codex). An agent that keeps no note and closes its file after each record (Gemini CLI, pi) is found only by its hook.
 */
export function othersWith(session: SharedSession): readonly OtherProgram[] {
  const { reader, sessionId, places, files = [], isOwn } = session;
  const others = new Map<number, string>();
  const pids = [
    ...(reader.processesWith?.(sessionId, places) ?? []),
    ...(files.length === 0 ? [] : (writersOf(files) ?? []).map(({ pid }) => pid)),
  ];
  for (const pid of pids) others.set(pid, reader.agent);
  for (const { pid, program } of holdersOf(session)) others.set(pid, program);
  return [...others].filter(([pid]) => !isOwn(pid)).map(([pid, program]) => ({ pid, program }));
}
