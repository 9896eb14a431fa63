/**
 * Finds out if a session is open in its agent: from the agent's own files if they show it, otherwise from processes.
 */

import { type ErrorParts, openInAgent, type SessionInfo } from "@continuo/core/model";
import { programsIn, type RunningProgram, writersOf } from "@continuo/files";
import type { Lookup } from "../native/index.ts";
import type { FoundSession } from "../native/kit/index.ts";

/** If the system does not report which processes have a file open, a file that was written just now counts as open. */
const JUST_NOW_MS = 10_000;
/** The clock of processes and that of files differ by at most this. */
const ROUNDING_MS = 1000;

/** Errors: `session_live`. */
export function refuseLive(
  found: FoundSession,
  { cwd, updatedAt }: Pick<SessionInfo, "cwd" | "updatedAt">,
  nowMs: number = Date.now(),
  parts: Pick<ErrorParts, "hint"> = {},
): void {
  if (!isLive(found, { cwd, updatedMs: lastWritten(found, updatedAt), nowMs })) return;
  throw openInAgent(found, parts);
}

/**
 * Refuses a session that is open, according to its present state on disk. Errors: `session_live`, those of reading it.
 */
export async function refuseOpen(
  { found, reader }: Lookup,
  parts: Pick<ErrorParts, "hint"> = {},
): Promise<void> {
  refuseLive(found, await reader.skim(found, { part: "ends" }), Date.now(), parts);
}

interface LastState {
  readonly cwd: string | null;
  readonly updatedMs: number;
  readonly nowMs: number;
}

/**
 * If the agent's own files do not show whether the session is open, returns true in these cases: another program has
 * the session's file open for writing; another program has the database open, and the session was written to after that
 * program started; the agent runs in the session's folder, and the session was written to after the agent started; or
 * the system does not report the programs, and the session was written to just now.
 */
function isLive(found: FoundSession, { cwd, updatedMs, nowMs }: LastState): boolean {
  if (found.live !== null) return found.live;
  const isShared = found.location.includes("#");
  const wroteTo = ({ startedMs }: RunningProgram): boolean =>
    startedMs === null || updatedMs >= startedMs - ROUNDING_MS;
  const writers = writersOf(found.files.map(({ path }) => path));
  if (writers?.some((one) => !isShared || wroteTo(one)) === true) return true;
  const programs = cwd === null ? [] : programsIn(cwd, found.agent);
  if (programs !== null && writers !== null) return programs.some(wroteTo);
  return nowMs - updatedMs < JUST_NOW_MS;
}

function lastWritten({ files, location }: FoundSession, updatedAt: string | null): number {
  if (location.includes("#")) return updatedAt === null ? 0 : Date.parse(updatedAt);
  return Math.max(0, ...files.map(({ mtimeMs }) => mtimeMs));
}
