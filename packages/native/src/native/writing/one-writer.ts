/** One writer for each native session: a conversation of Continuo that has it open, an edit of it, or an agent with a hook. */

import { ContinuoError, isContinuoError } from "@continuo/core/model";
import {
  ancestorsOf,
  holdersOf,
  lockSession,
  noteHolder,
  type Places,
  removeHolder,
  type SessionHolder,
  type WriterLock,
} from "@continuo/files";

/** The time to wait for a writer that is about to release the session: a program that is ending, or an edit. */
const LEAVING_MS = 30_000;

export interface NativeWriteOptions {
  /** Its key in references: `claude`, … */
  readonly agent: string;
  readonly sessionId: string;
  readonly places: Places;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds to wait for another writer; 0 if none is given. */
  readonly waitMs?: number;
  /** Called once during the wait, with the words for the writer that has the session. */
  readonly onWait?: ((holder: string) => void) | undefined;
  /** The hint of the error that a person reads; by default, to close the session in the other program. */
  readonly hint?: string;
}

/**
 * Locks a session by its agent and id, because drivers do not know its file. An agent that this process did not start
 * holds the lock too if its hook reported it (`continuo guard hook`). Errors: `session_live`, `unwritable`.
 */
export async function lockNative(writing: NativeWriteOptions): Promise<WriterLock> {
  const { agent, sessionId, places, signal, waitMs = 0, hint = "Close it there first." } = writing;
  const onWait = (): void => writing.onWait?.(heldElsewhere(writing, holdersOf(writing)[0]));
  const lock = await locked(writing, { places, waitMs, leavingMs: LEAVING_MS, signal, onWait });
  const [other] = holdersOf(writing).filter(({ pid }) => !isOwnProcess(pid));
  if (other !== undefined) {
    lock.release();
    throw new ContinuoError("session_live", `session ${sessionId} is open in ${nameOf(other)}`, {
      hint,
      details: { sessionId, agent, steps: [], pid: other.pid },
    });
  }
  noteHolder(writing, { pid: process.pid, program: "continuo", since: new Date().toISOString() });
  return {
    leave: lock.leave,
    release: () => {
      removeHolder(writing, process.pid);
      lock.release();
    },
  };
}

async function locked(
  writing: NativeWriteOptions,
  lock: Parameters<typeof lockSession>[2],
): Promise<WriterLock> {
  const { agent, sessionId, hint = "Close it there first." } = writing;
  try {
    return await lockSession(`/native/${agent}`, sessionId, lock);
  } catch (error) {
    if (!isContinuoError(error, "busy")) throw error;
    const [holder] = holdersOf(writing);
    throw new ContinuoError("session_live", heldElsewhere(writing, holder), {
      hint,
      details: { sessionId, agent, steps: [], ...(holder === undefined ? {} : { pid: holder.pid }) },
      cause: error,
    });
  }
}

function heldElsewhere({ agent, sessionId }: NativeWriteOptions, holder: SessionHolder | undefined): string {
  const where = holder === undefined ? "" : ` (process ${holder.pid})`;
  return `Continuo has session ${sessionId} of ${agent} open elsewhere${where}`;
}

/**
 * True for this process, and for a program that it started, such as its agent. If the system does not report parents of
 * processes, true for all.
 */
export function isOwnProcess(pid: number): boolean {
  if (pid === process.pid) return true;
  return ancestorsOf(pid)?.some((ancestor) => ancestor.pid === process.pid) !== false;
}

function nameOf({ program, pid }: SessionHolder): string {
  return `${program} (process ${pid})`;
}
