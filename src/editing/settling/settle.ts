/** What killed processes left, settled before the next edit begins. */

import { lockSession, type Places } from "../../files/index.ts";
import { finishPlaced, notesLeft, removeLeftScratch, settleAppend } from "../placing/index.ts";
import { settleRestore, settleTrash } from "../trash/index.ts";

export interface SettleOptions {
  readonly places: Places;
  /** The session's file whose lock the caller holds; `null` where it holds none. */
  readonly file?: string | null;
  readonly signal?: AbortSignal | undefined;
}

const LOCK_WAIT_MS = 30_000;
/** Who asks later wants another session. */
const KEEP_MS = 24 * 60 * 60 * 1000;

/**
 * Appends to other files than `file` are left to those who lock these. The note of a new session that somebody may
 * ask for again stays for a day.
 *
 * Errors: `busy`, `unwritable`.
 */
export async function settleUnfinished({ places, file = null, signal }: SettleOptions): Promise<void> {
  removeLeftScratch();
  if (notesLeft(places).length === 0) return;
  const lock = await lockSession("/unfinished", "unfinished", { places, waitMs: LOCK_WAIT_MS, signal });
  try {
    for (const left of notesLeft(places)) {
      const { note } = left;
      if (note.how === "append") {
        if (note.unlocked !== true && note.path !== file) continue;
        settleAppend(note, left.pid);
      } else if (note.how === "place") {
        await finishPlaced(note, left, places);
        // For the one who asks again.
        if (note.key !== null && Date.now() - left.writtenMs < KEEP_MS) continue;
      } else if (note.how === "trash") await settleTrash(note, left.pid, places);
      else await settleRestore(note, left.pid, places);
      left.remove();
    }
  } finally {
    lock.release();
  }
}
