/**
 * `continuo` on a terminal: a full-screen picker for the sessions of this machine, and the choice for a command that
 * needs a session.
 *
 * Promises: the terminal is restored however the picker ends; text from a session is made visible before it reaches the
 * terminal; every key is answered from memory, and previews appear when they are read; a deletion can be undone.
 * Does not know: the format of any agent.
 */

export { addPickCommand } from "./command.ts";
export { chooseWork } from "./work.ts";
