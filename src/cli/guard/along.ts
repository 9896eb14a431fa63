/**
 * The guard, for hooks of agents and for other commands. Each function loads only its own work, because a hook runs at
 * each prompt.
 */

import type { Shell } from "../terminal/index.ts";
import type { DueCounts } from "./due.ts";

/** `continuo guard hook`, which agents call at each prompt. It never fails. Returns the exit code. */
export async function runGuardHook(shell: Shell): Promise<number> {
  return await (await import("./hook.ts")).runHook({}, shell);
}

/** `continuo guard run --quiet`, which agents call when a session ends. */
export async function runGuardAfterSession(shell: Shell): Promise<void> {
  await (await import("./quiet-run.ts")).runAfterSession(shell);
}

/** Runs if the guard is on: what cannot be copied now is copied by the next run. */
export async function runGuardAlong(shell: Shell): Promise<void> {
  await (await import("./quiet-run.ts")).runAlong(shell);
}

/** The line under a list about sessions that have no copy and will be deleted soon; `null` if there are none. */
export async function dueNote(shell: Shell): Promise<string | null> {
  return await (await import("./due-note.ts")).dueNote(shell);
}

/** The sessions that agents delete within this number of days. Errors: `corrupt` for settings that cannot be read. */
export async function countDueSoon(days: number, shell: Shell): Promise<DueCounts> {
  return await (await import("./due-note.ts")).countDueSoon(days, shell);
}
