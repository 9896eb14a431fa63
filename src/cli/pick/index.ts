/**
 * `continuo pick`: the sessions of this machine in a full-screen picker.
 *
 * Promises: the terminal is as it was before, however the picker ends; no byte of a session reaches the
 * terminal before it is made visible; every key is answered from memory, and previews come when they are read.
 * Does not know: the format of any agent.
 */

export { addPickCommand } from "./command.ts";
