/**
 * `continuo pick`: a full-screen picker for the sessions of this machine.
 *
 * Promises: the terminal is restored however the picker ends; text from a session is made visible before it reaches
 * the terminal; every key is answered from memory, and previews appear when they are read.
 * Does not know: the format of any agent.
 */

export { addPickCommand } from "./command.ts";
