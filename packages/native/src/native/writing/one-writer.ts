/** One writer of Continuo for each native session: a conversation that has it open, or an edit of it. */

import { ContinuoError, isContinuoError } from "@continuo/core/model";
import { lockSession, type Places, type WriterLock } from "@continuo/files";

/** For one that is about to release it: a program that is ending, or an edit. */
const LEAVING_MS = 30_000;

export interface NativeWriteOptions {
  /** Its key in references: `claude`, … */
  readonly agent: string;
  readonly sessionId: string;
  readonly places: Places;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds to wait for another writer; 0 where none is given. */
  readonly waitMs?: number;
  /** For a person who is refused. */
  readonly hint?: string;
}

/** The lock of a session wherever it lies: drivers know no file. Errors: `session_live`, `unwritable`. */
export async function lockNative(writing: NativeWriteOptions): Promise<WriterLock> {
  const { agent, sessionId, places, signal, waitMs = 0, hint = "Close it there first." } = writing;
  const lock = { places, waitMs, leavingMs: LEAVING_MS, signal };
  try {
    return await lockSession(`/native/${agent}`, sessionId, lock);
  } catch (error) {
    if (!isContinuoError(error, "busy")) throw error;
    throw new ContinuoError("session_live", `Continuo has session ${sessionId} of ${agent} open elsewhere`, {
      hint,
      details: { sessionId, agent, steps: [] },
      cause: error,
    });
  }
}
