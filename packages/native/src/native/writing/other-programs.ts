/** The other programs that have a native session open now: none of them sees what another one writes. */

import { type HeldNative, holdersOf, writersOf } from "@continuo/files";
import type { AgentReader } from "../kit/index.ts";

export interface SharedSession extends HeldNative {
  readonly reader: Pick<AgentReader, "agent" | "processesWith">;
  /** A program that has one of them open for writing counts too. */
  readonly files?: readonly string[];
  /** The caller itself, and what belongs to it. */
  isOwn(pid: number): boolean;
}

export interface OpenElsewhere {
  readonly pid: number;
  /** `continuo`, or the agent. */
  readonly program: string;
}

/**
 * They are known by the notes of Continuo and of hooks, by the agent's own notes (Claude Code), and by open files (Codex). An
 * agent that keeps no note and closes its file after each record (Gemini CLI, pi) is found by its hook only.
 */
export function othersWith(session: SharedSession): readonly OpenElsewhere[] {
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
