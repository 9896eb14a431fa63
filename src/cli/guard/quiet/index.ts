/**
 * Runs of the guard during other work: `continuo guard run --quiet`, which agents call when a session ends.
 *
 * Promises: a session that cannot be copied now causes no failure, and is copied by the next run.
 * Does not know: the other commands of the guard, so that none of them is loaded for a hook.
 */

export { runAfterSession, runAlong, runNow } from "./run.ts";
