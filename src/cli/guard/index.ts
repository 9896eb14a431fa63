/**
 * `continuo guard`: copies of the sessions that agents delete by themselves, when they are made, and how they come back.
 *
 * Promises: nothing of an agent's changes without a question; a timer that cannot be started is said; a run without output
 * never fails because of a session.
 * Does not know: the rules of any agent, or how a copy is stored.
 */

export { countDueSoon, dueNote, runGuardAlong } from "./along.ts";
export { addGuardCommands } from "./commands.ts";
export { type DueCounts, dueLine } from "./due.ts";
