/** A run of the guard without output. */

import { excludes, rowsOf } from "@continuo/agents/catalog";
import { readHomeConfiguration } from "@continuo/agents/config";
import { isContinuoError, present } from "@continuo/core/model";
import { placesOf, statFile } from "@continuo/files";
import {
  type GuardRun,
  type NamedSession,
  readGuardSettings,
  runGuard,
} from "@continuo/native/editing/guard";
import type { Shell } from "../terminal/index.ts";
import { namedSession } from "./hook-event.ts";

/** Never throws: if the settings cannot be read, the guard counts as off, and `guard status` reports the problem. */
function isGuardOn(shell: Shell): boolean {
  try {
    return readGuardSettings(placesOf(shell)).on;
  } catch {
    return false;
  }
}

/** Runs without a check that the guard is on, and waits `waitMs` for another run. Errors: `busy`, `unwritable`. */
export async function runNow(shell: Shell, waitMs: number, only?: NamedSession): Promise<GuardRun> {
  const { indexExclude } = await readHomeConfiguration(shell);
  const places = placesOf(shell);
  // It is worth opening the database of known rows only if there may be many sessions, or much to read.
  const isSmall = only !== undefined && (statFile(only.location)?.sizeBytes ?? 0) < MAX_BYTES_WITHOUT_ROWS;
  const memo = isSmall ? undefined : rowsOf(shell);
  const isExcluded = excludes(indexExclude, places.home);
  const run = await runGuard({ ...present({ memo, only }), places, waitMs, isExcluded, now: shell.now });
  await memo?.save("part");
  return run;
}

const MAX_BYTES_WITHOUT_ROWS = 1024 * 1024;

/**
 * Runs for the hook of an agent. If the hook names the ended session on standard input, only that session is copied;
 * otherwise every changed session is copied.
 */
export async function runAfterSession(shell: Shell): Promise<void> {
  if (isGuardOn(shell)) await runAlong(shell, (await namedSession(shell)) ?? undefined);
}

/** Runs if the guard is on: what cannot be copied now is copied by the next run. */
export async function runAlong(shell: Shell, only?: NamedSession): Promise<void> {
  if (!isGuardOn(shell)) return;
  try {
    await runNow(shell, 0, only);
  } catch (error) {
    if (!isContinuoError(error)) throw error;
  }
}
