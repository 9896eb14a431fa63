/**
 * Checks whether the agent really continued the session that it reports. The evidence is the agent's own answer, and
 * the session on disk: its size or its time must have changed after the first turn.
 */

import { isFailure, type Message, present, type SessionInfo, type VerifiedBy } from "@continuo/core/model";
import { canonicalFolder } from "@continuo/files";
import type { AgentReader, FoundSession } from "@continuo/native/kit";
import type { DriverOptions } from "./options.ts";

/**
 * The time for which the driver waits for the records of a turn on disk, and the time between two checks. The last
 * check is made when the whole time has passed.
 */
const SETTLE_MS = 1_500;
const LOOK_EVERY_MS = 100;

/** The facts of a session on disk that show whether it grew. */
export interface DiskMark {
  readonly found: FoundSession;
  readonly updatedAt: string | null;
  readonly sizeBytes: number;
}

export interface VerifyTarget {
  readonly sessionId: string;
  readonly cwd: string;
  readonly signal?: AbortSignal | undefined;
}

/** Returns `null` if the session does not exist, or cannot be read. Reads only the start and the end of each file. */
export async function markOf(options: DriverOptions, where: VerifyTarget): Promise<DiskMark | null> {
  const { reader } = options;
  const found = await findOnDisk(options, where);
  if (found === null || reader === undefined) return null;
  const info = await skimEnds(reader, found, where.signal);
  return info === null ? null : { found, updatedAt: info.updatedAt, sizeBytes: info.sizeBytes };
}

/**
 * Returns `null` for a session that cannot be read. It proves nothing, so the agent's own report is then the only
 * evidence.
 */
async function skimEnds(
  reader: AgentReader,
  found: FoundSession,
  signal: AbortSignal | undefined,
): Promise<SessionInfo | null> {
  try {
    return await reader.skim(found, present({ part: "ends", signal }));
  } catch (error) {
    if (isFailure(error)) return null;
    throw error;
  }
}

/**
 * Waits for the session for a short time: some agents report the end of a turn a moment before they have written the
 * turn to disk (Claude Code 2.1.197).
 */
export async function markSoon(options: DriverOptions, where: VerifyTarget): Promise<DiskMark | null> {
  const startedAt = performance.now();
  for (;;) {
    const isLast = performance.now() - startedAt > SETTLE_MS;
    const mark = await markOf(options, where);
    if (mark !== null || options.reader === undefined || isLast) return mark;
    await new Promise((look) => setTimeout(look, LOOK_EVERY_MS));
  }
}

/** Finds a session by its id: first in the folder, then anywhere. */
export async function findOnDisk(
  { reader, places }: DriverOptions,
  { sessionId, cwd, signal }: VerifyTarget,
): Promise<FoundSession | null> {
  if (reader === undefined) return null;
  for (const folder of [{ cwd: canonicalFolder(cwd) }, {}]) {
    for await (const found of reader.find(places, { ...folder, ...present({ signal }) })) {
      if (found.sessionId === sessionId) return found;
    }
  }
  return null;
}

/**
 * Reads from disk the history that the agent's model would receive; empty if the session is not found, or if Continuo
 * cannot read the sessions of this agent.
 */
export async function historyOnDisk(
  options: DriverOptions,
  where: VerifyTarget,
): Promise<readonly Message[]> {
  const found = await findOnDisk(options, where);
  const { reader, places } = options;
  if (found === null || reader === undefined) return [];
  using session = await reader.open(found, places, present({ signal: where.signal }));
  return reader.modelView(await Array.fromAsync(session.history(present({ signal: where.signal }))));
}

export interface Verification {
  readonly verifiedBy: VerifiedBy;
  readonly forked?: { readonly from: string; readonly to: string };
  readonly reason?: string;
}

export interface AfterTurn extends VerifyTarget {
  /** The session before the turn; `null` if it did not exist, or if Continuo cannot read the sessions of this agent. */
  readonly before: DiskMark | null;
  /** The session id that the agent reports now. */
  readonly answered: string;
  /** The start of the turn, in milliseconds: a change before this time does not belong to the turn. */
  readonly askedAtMs: number;
}

/**
 * Call it after the first turn. It never throws for content on disk: a session that cannot be read confirms nothing.
 */
export async function verifyAfterTurn(options: DriverOptions, after: AfterTurn): Promise<Verification> {
  const { sessionId, answered, before } = after;
  if (answered !== sessionId) return { verifiedBy: "agent", forked: { from: sessionId, to: answered } };
  if (options.reader === undefined) return { verifiedBy: "agent" };
  const startedAt = performance.now();
  for (;;) {
    const isLast = performance.now() - startedAt > SETTLE_MS;
    const now = await markOf(options, after);
    if (now !== null && isGrown(before, now)) return { verifiedBy: "agent and disk" };
    if (isLast) {
      if (now === null) return { verifiedBy: "agent", reason: "its history is not on disk" };
      const to = await newestOther(options, after);
      if (to !== null) return { verifiedBy: "disk", forked: { from: sessionId, to } };
      return { verifiedBy: "agent", reason: "its history on disk did not grow with the first turn" };
    }
    await new Promise((look) => setTimeout(look, LOOK_EVERY_MS));
  }
}

function isGrown(before: DiskMark | null, now: DiskMark): boolean {
  return before === null || before.sizeBytes !== now.sizeBytes || before.updatedAt !== now.updatedAt;
}

/**
 * Finds the other session of this folder with the newest change. If that change is after the start of the turn, the
 * agent wrote the turn to this session.
 */
async function newestOther(
  { reader, places }: DriverOptions,
  { askedAtMs, sessionId, cwd, signal }: AfterTurn,
): Promise<string | null> {
  if (reader === undefined) return null;
  let newest: { readonly id: string | null; readonly atMs: number } = { id: null, atMs: askedAtMs };
  const folder = present({ cwd: canonicalFolder(cwd), signal });
  for await (const found of reader.find(places, folder)) {
    if (found.sessionId === sessionId) continue;
    const atMs = Date.parse((await skimEnds(reader, found, signal))?.updatedAt ?? "");
    if (atMs > newest.atMs) newest = { id: found.sessionId, atMs };
  }
  return newest.id;
}
