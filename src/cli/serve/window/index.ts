/**
 * New windows of a terminal on the screen of this machine: which one there is, and a command in it.
 *
 * Promises: no shell and no terminal ever gets a word of the command, its folder or its environment: what a terminal starts
 * is a program of Continuo, which asks for them over a private socket; success is reported only after the command runs.
 * Does not know: sessions, agents, or who may open a window.
 */

export { createWindows, NO_WINDOWS } from "./windows.ts";
