/**
 * Is the agent where it says? Its own answer is one witness, its session as our reader finds it on disk the
 * other: known before the first turn, and grown after it.
 */

import { isContinuoError, type Message, type VerifiedBy } from "../../model/index.ts";
import { canonicalFolder, type FoundSession, toSignal } from "../reader/index.ts";
import type { DriverOptions } from "./options.ts";

/** For how long a turn's records are waited for, and how often is looked. */
const SETTLE_MS = 1_500;
const LOOK_EVERY_MS = 100;

/** A session as it lies on disk: enough to see that it grew. */
export interface DiskMark {
  readonly found: FoundSession;
  readonly updatedAt: string | null;
  readonly sizeBytes: number;
}

export interface Where {
  readonly sessionId: string;
  readonly cwd: string;
  readonly signal?: AbortSignal | undefined;
}

/** `null` where the session is not there, or nobody can read it. Only the ends of its files are read. */
export async function markOf(options: DriverOptions, where: Where): Promise<DiskMark | null> {
  const { reader } = options;
  const found = await findOnDisk(options, where);
  if (found === null || reader === undefined) return null;
  try {
    const info = await reader.skim(found, { part: "ends", ...toSignal(where.signal) });
    return { found, updatedAt: info.updatedAt, sizeBytes: info.sizeBytes };
  } catch (error) {
    // What cannot be read is no witness; that it goes on is the agent's word alone.
    if (isContinuoError(error)) return null;
    throw error;
  }
}

/** Some agents tell the end of a turn a moment before they have written it (Claude Code 2.1.197). */
export async function markSoon(options: DriverOptions, where: Where): Promise<DiskMark | null> {
  const startedAt = performance.now();
  for (;;) {
    const mark = await markOf(options, where);
    const isLate = performance.now() - startedAt > SETTLE_MS;
    if (mark !== null || options.reader === undefined || isLate) return mark;
    await new Promise((look) => setTimeout(look, LOOK_EVERY_MS));
  }
}

/** A session by its id: in the folder first, then anywhere. */
export async function findOnDisk(
  { reader, places }: DriverOptions,
  { sessionId, cwd, signal }: Where,
): Promise<FoundSession | null> {
  if (reader === undefined) return null;
  for (const folder of [{ cwd: canonicalFolder(cwd) }, {}]) {
    for await (const found of reader.find(places, { ...folder, ...toSignal(signal) })) {
      if (found.sessionId === sessionId) return found;
    }
  }
  return null;
}

/** What the agent's model would be sent of it, read from disk; empty where nobody can read it. */
export async function historyOnDisk(options: DriverOptions, where: Where): Promise<readonly Message[]> {
  const found = await findOnDisk(options, where);
  const { reader, places } = options;
  if (found === null || reader === undefined) return [];
  using session = await reader.open(found, places, toSignal(where.signal));
  return reader.modelView(await Array.fromAsync(session.history(toSignal(where.signal))));
}

export interface Verified {
  readonly verifiedBy: VerifiedBy;
  readonly forked?: { readonly from: string; readonly to: string };
  readonly reason?: string;
}

export interface AfterTurn extends Where {
  /** As it was before the turn; `null` where it was not there, or nobody reads this agent. */
  readonly before: DiskMark | null;
  /** What the agent now says that the session is called. */
  readonly answered: string;
}

/** After the first turn. Never throws for what the disk holds: a session that cannot be read verifies nothing. */
export async function verifyAfterTurn(options: DriverOptions, after: AfterTurn): Promise<Verified> {
  const { sessionId, answered, before } = after;
  if (answered !== sessionId) return { verifiedBy: "agent", forked: { from: sessionId, to: answered } };
  if (options.reader === undefined) return { verifiedBy: "agent" };
  const startedAt = performance.now();
  for (;;) {
    const now = await markOf(options, after);
    if (now !== null && isGrown(before, now)) return { verifiedBy: "agent and disk" };
    if (performance.now() - startedAt > SETTLE_MS) {
      if (now === null) return { verifiedBy: "agent", reason: "its history is not on disk" };
      const to = await newestOther(options, { ...after, mark: now });
      if (to !== null) return { verifiedBy: "disk", forked: { from: sessionId, to } };
      return { verifiedBy: "agent", reason: "its history on disk did not grow with the first turn" };
    }
    await new Promise((look) => setTimeout(look, LOOK_EVERY_MS));
  }
}

function isGrown(before: DiskMark | null, now: DiskMark): boolean {
  return before === null || before.sizeBytes !== now.sizeBytes || before.updatedAt !== now.updatedAt;
}

/** A session of the folder that changed after the one that was asked for: the turn went there. */
async function newestOther(
  { reader, places }: DriverOptions,
  { mark, sessionId, cwd, signal }: AfterTurn & { readonly mark: DiskMark },
): Promise<string | null> {
  if (reader === undefined) return null;
  let newest: { readonly id: string; readonly updatedAt: string } | null = null;
  const folder = { cwd: canonicalFolder(cwd), ...toSignal(signal) };
  for await (const found of reader.find(places, folder)) {
    if (found.sessionId === sessionId) continue;
    const { updatedAt } = await reader.skim(found, { part: "ends", ...toSignal(signal) });
    if (updatedAt === null || updatedAt <= (mark.updatedAt ?? "")) continue;
    if (newest === null || updatedAt > newest.updatedAt) newest = { id: found.sessionId, updatedAt };
  }
  return newest?.id ?? null;
}
