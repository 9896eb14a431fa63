/** The guard, for other commands: runs it during their work, and finds the sessions that will be deleted soon. */

import type { Shell } from "../terminal/index.ts";
import type { DueCounts } from "./due.ts";

/** Runs if the guard is on: what cannot be copied now is copied by the next run. */
export async function runGuardAlong(shell: Shell): Promise<void> {
  await (await import("./quiet/index.ts")).runAlong(shell);
}

/** The line under a list about sessions that have no copy and will be deleted soon; `null` if there are none. */
export async function dueNote(shell: Shell): Promise<string | null> {
  return await (await import("./due-note.ts")).dueNote(shell);
}

/** The sessions that agents delete within this number of days. Errors: `corrupt` for settings that cannot be read. */
export async function countDueSoon(days: number, shell: Shell): Promise<DueCounts> {
  return await (await import("./due-note.ts")).countDueSoon(days, shell);
}
