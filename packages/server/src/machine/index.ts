/**
 * The sessions of this machine as a viewer asks for them: one list, windows into a session of any length, its outline,
 * what it changed, and actions on it.
 *
 * Promises: a session is named only by a key that a list gave out, never by a path; every answer is bounded; reading
 * writes nothing except the index; memory does not grow with the length of a session; a long session is read in a
 * separate thread, so that other requests do not wait for it.
 * Does not know: HTTP, tokens, how anything is drawn.
 */

export { createMachine } from "./machine.ts";
export type { MachineOptions, TerminalWindows } from "./options.ts";
