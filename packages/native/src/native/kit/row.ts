/** The row of a session of one or more files, from the facts that its reader found. */

import { type AgentName, type Problem, present, type SessionInfo } from "@continuo/core/model";
import type { FoundSession } from "./port.ts";

/**
 * The facts that only the reader of the format knows. Without a time in the records, the newest file gives it.
 */
export type RowFacts = Pick<
  SessionInfo,
  "cwd" | "title" | "gitBranch" | "createdAt" | "updatedAt" | "forkedFrom"
>;

export function rowOfFiles(
  agent: AgentName,
  found: FoundSession,
  { cwd, title, gitBranch, createdAt, updatedAt, forkedFrom }: RowFacts,
  problems: readonly Problem[],
): SessionInfo {
  const newest = found.files.at(-1);
  return {
    agent,
    sessionId: found.sessionId,
    location: found.location,
    cwd,
    title,
    gitBranch,
    createdAt,
    updatedAt: updatedAt ?? (newest === undefined ? null : new Date(newest.mtimeMs).toISOString()),
    sizeBytes: found.files.reduce((sum, file) => sum + file.sizeBytes, 0),
    archived: found.archived,
    live: found.live,
    problems: [...found.problems, ...problems],
    ...present({ forkedFrom: forkedFrom ?? undefined }),
  };
}
