/** The lock of an edit: it excludes other edits of the file, and conversations of Continuo in the session. */

import { join, sep } from "node:path";
import { ContinuoError } from "@continuo/core/model";
import { fileOfLocation, lockSession, type Places, type WriterLock } from "@continuo/files";
import type { FoundSession } from "../../native/kit/index.ts";
import { lockNative } from "../../native/writing/index.ts";
import { openedFolder } from "../guard/index.ts";

const WAIT_MS = 30_000;

export interface EditLockOptions {
  readonly places: Places;
  readonly signal: AbortSignal | undefined;
  /** The longest wait for another edit; 30 s by default. */
  readonly waitMs?: number;
}

export interface EditedSession extends Pick<FoundSession, "agent" | "sessionId"> {
  /** The file, or the database. */
  readonly file: string;
}

/**
 * Errors: `unsupported` for a copy of the guard, `busy` for another edit, `session_live` for a conversation,
 * `unwritable`.
 */
export async function lockForEdit(
  { agent, sessionId, file }: EditedSession,
  { places, signal, waitMs = WAIT_MS }: EditLockOptions,
): Promise<WriterLock> {
  refuseCopy(file, places);
  const edits = await lockSession(file, sessionId, { places, waitMs, signal });
  try {
    const native = await lockNative({ agent, sessionId, places, signal });
    return {
      leave: native.leave,
      release: () => {
        native.release();
        edits.release();
      },
    };
  } catch (error) {
    edits.release();
    throw error;
  }
}

/** For a short edit: other callers wait for its end. Errors: as `lockForEdit`. */
export async function lockedForEdit<T>(
  session: EditedSession,
  options: EditLockOptions,
  edit: () => Promise<T>,
): Promise<T> {
  const lock = await lockForEdit(session, options);
  try {
    lock.leave();
    return await edit();
  } finally {
    lock.release();
  }
}

/** The file of a session, or its database. */
export function fileOf({ location }: Pick<FoundSession, "location">): string {
  return fileOfLocation(location);
}

/** A change of the unpacked copy would not be in the restored session. */
function refuseCopy(file: string, places: Places): void {
  if (!file.startsWith(join(openedFolder(places), sep))) return;
  throw new ContinuoError("unsupported", "only the guard has this session: its agent deleted it", {
    hint: "Run `continuo guard restore ID` first.",
  });
}
