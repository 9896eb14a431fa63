/** Indexes what is missing, until all is done or the time is over. */

import { existsSync } from "node:fs";
import { noteProjects, updateTexts } from "@continuo/agents/catalog";
import { readHomeConfiguration } from "@continuo/agents/config";
import { isContinuoError } from "@continuo/core/model";
import { lockSession, placesOf, type WriterLock } from "@continuo/files";
import { indexPathOf } from "@continuo/native/index-file";
import { runGuardAlong } from "../guard/index.ts";
import type { Shell } from "../terminal/index.ts";
import { INDEXING_LIMITS } from "./limits.ts";
import { markOf } from "./start.ts";

/** Errors: `usage` for a configuration that is wrong, `unwritable`. */
export async function runIndexing(shell: Shell): Promise<number> {
  // Copying a session that its agent is about to delete is more urgent than making searches fast.
  await runGuardAlong(shell);
  const { indexExclude: exclude, indexBackground } = await readHomeConfiguration(shell);
  if (indexBackground === "off") return 0;
  const lock = await lockOrNull(shell, INDEXING_LIMITS.lockMs);
  if (lock === null) return 0;
  const stop = new AbortController();
  try {
    // A project that moved is found by facts that were recorded before.
    await noteProjects(placesOf(shell));
    const { timeMs, batchChars } = INDEXING_LIMITS;
    await updateTexts({
      places: placesOf(shell),
      exclude,
      timeMs,
      batchChars,
      signal: stop.signal,
      // If a person deleted the home of Continuo, it is not created again.
      onProgress: () => existsSync(markOf(shell)) || stop.abort(),
    });
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  } finally {
    lock.release();
  }
  return 0;
}

export async function isLocked(shell: Shell): Promise<boolean> {
  if (!existsSync(markOf(shell))) return false;
  const lock = await lockOrNull(shell, 0);
  lock?.release();
  return lock === null;
}

async function lockOrNull(shell: Shell, waitMs: number): Promise<WriterLock | null> {
  const places = placesOf(shell);
  try {
    return await lockSession(indexPathOf(places), "indexing", { places, waitMs, signal: undefined });
  } catch (error) {
    if (isContinuoError(error, "busy")) return null;
    throw error;
  }
}
