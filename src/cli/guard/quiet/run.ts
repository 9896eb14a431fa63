/** A run of the guard without words. */

import { excludes, rowsOf } from "@continuo/agents/catalog";
import { readHomeConfiguration } from "@continuo/agents/config";
import { isContinuoError } from "@continuo/core/model";
import { placesOf } from "@continuo/files";
import { type GuardRun, readGuardSettings, runGuard } from "@continuo/native/editing/guard";
import type { Shell } from "../../terminal/index.ts";

/** Never throws: a settings file that cannot be read is told by `guard status`. */
function isGuardOn(shell: Shell): boolean {
  try {
    return readGuardSettings(placesOf(shell)).on;
  } catch {
    return false;
  }
}

/** For the person who just turned it on. Errors: `busy`, `unwritable`. */
export async function runNow(shell: Shell, waitMs: number): Promise<GuardRun> {
  const { indexExclude } = await readHomeConfiguration(shell);
  const places = placesOf(shell);
  const memo = rowsOf(shell);
  const run = await runGuard({
    places,
    waitMs,
    memo,
    isExcluded: excludes(indexExclude, places.home),
    now: shell.now,
  });
  await memo.save("part");
  return run;
}

/** If the guard is on: what cannot be done now is done by the next run. */
export async function runAlong(shell: Shell): Promise<void> {
  if (!isGuardOn(shell)) return;
  try {
    await runNow(shell, 0);
  } catch (error) {
    if (!isContinuoError(error)) throw error;
  }
}
