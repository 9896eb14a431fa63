/** The guard, for other commands: its run along with their work, and the sessions that are due. */

import type { Shell } from "../terminal/index.ts";
import type { DueCounts } from "./due.ts";

/** If the guard is on: what cannot be done now is done by the next run. */
export async function runGuardAlong(shell: Shell): Promise<void> {
  await (await import("./quiet/index.ts")).runAlong(shell);
}

/** The line under a list about sessions without a copy that are deleted soon; `null` if there are none. */
export async function dueNote(shell: Shell): Promise<string | null> {
  return await (await import("./due-note.ts")).dueNote(shell);
}

/** The sessions that agents delete within this number of days. Errors: `corrupt` for settings that cannot be read. */
export async function countDueSoon(days: number, shell: Shell): Promise<DueCounts> {
  return await (await import("./due-note.ts")).countDueSoon(days, shell);
}
