/**
 * One writer for each native session. A conversation holds a lock as long as its program is open, which other processes
 * of Continuo see; and between two turns it looks whether somebody else said something in the session, which may be the
 * agent itself in another terminal: a program that knows nothing of that must not write any more.
 */

import { statSync } from "node:fs";
import { lockSession, type WriterLock } from "../../files/index.ts";
import { ContinuoError, isContinuoError } from "../../model/index.ts";
import type { FoundSession } from "../../native/kit/index.ts";
import type { DriverOptions } from "./options.ts";
import { findOnDisk } from "./verify.ts";

/** For a program that is ending. */
const LEAVING_MS = 30_000;
/** Of a session that changed between two turns: what somebody said since stands at its end. */
const NEWEST_BYTES = 4_194_304;

export interface Writing {
  /** Its key in references: `claude`, … */
  readonly agent: string;
  readonly sessionId: string;
  readonly signal?: AbortSignal | undefined;
}

/** Errors: `session_live` when another conversation has it open. */
export async function lockNative(
  { places }: DriverOptions,
  { agent, sessionId, signal }: Writing,
): Promise<WriterLock> {
  const lock = { places, waitMs: 0, leavingMs: LEAVING_MS, signal };
  try {
    return await lockSession(`/native/${agent}`, sessionId, lock);
  } catch (error) {
    if (!isContinuoError(error, "busy")) throw error;
    throw new ContinuoError("session_live", `Continuo has session ${sessionId} of ${agent} open elsewhere`, {
      hint: `Close it there first, or continue a copy: --fork ${agent}:${sessionId}.`,
      details: { sessionId, agent, steps: [] },
      cause: error,
    });
  }
}

/** A native session as it lay on disk at the end of a turn. */
export interface Stamp {
  readonly found: FoundSession;
  readonly fingerprint: string;
  readonly takenAtMs: number;
}

export function stampOf(found: FoundSession): Stamp {
  return { found, fingerprint: fingerprintOf(found), takenAtMs: Date.now() };
}

function fingerprintOf({ files }: FoundSession): string {
  const facts = files.map(({ path }) => statSync(path, { throwIfNoEntry: false }));
  return facts.map((file) => `${file?.size} ${file?.mtimeMs}`).join(", ");
}

/** Whether the agent's own record has a prompt since then: whatever became of the turn, its next one knows of it. */
export async function isRecorded(options: DriverOptions, writing: Prompted): Promise<boolean> {
  const found = await findOnDisk(options, writing);
  return found !== null && (await isPrompted(options, found, writing.askedAtMs - 1));
}

export interface Prompted {
  readonly sessionId: string;
  readonly cwd: string;
  readonly askedAtMs: number;
}

/**
 * Whether a person said something in it since. What an agent writes after its turn (a title, a note) is its own; what
 * cannot be read is no witness.
 */
export async function isWrittenTo(
  options: DriverOptions,
  { found, fingerprint, takenAtMs }: Stamp,
): Promise<boolean> {
  return fingerprintOf(found) !== fingerprint && (await isPrompted(options, found, takenAtMs));
}

async function isPrompted(
  { reader, places }: DriverOptions,
  before: FoundSession,
  sinceMs: number,
): Promise<boolean> {
  if (reader === undefined) return false;
  try {
    const path = before.location.split("#")[0] ?? "";
    const recognised = before.location === path ? await reader.recognise(path, places) : null;
    using session = await reader.open(recognised ?? before, places, { newestBytes: NEWEST_BYTES });
    for await (const { role, origin, timestamp = "" } of session.history()) {
      if (role === "user" && origin === "person" && Date.parse(timestamp) > sinceMs) return true;
    }
    return false;
  } catch (error) {
    if (isContinuoError(error)) return false;
    throw error;
  }
}
