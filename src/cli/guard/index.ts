/**
 * `continuo guard`: copies of the sessions that agents delete by themselves, the times at which copies are made, and
 * how they are restored.
 *
 * Promises: no file of an agent is changed before the person was asked; a timer that cannot be started is reported; a
 * run without output never fails because of a session; a hook never fails, and writes nothing that an agent would treat
 * as an answer, unless there is an answer.
 * Does not know: the rules of any agent, or how a copy is stored.
 */

export { countDueSoon, dueNote, runGuardAfterSession, runGuardAlong, runGuardHook } from "./along.ts";
export { addGuardCommands } from "./commands.ts";
export { type DueCounts, dueLine } from "./due.ts";
