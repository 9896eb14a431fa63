/**
 * Opens new terminal windows on the screen of this machine: finds the terminal, and runs a command in it.
 *
 * Promises: no shell and no terminal receives any part of the command, its folder or its environment: a terminal starts
 * a program of Continuo, which requests them over a private socket; success is reported only after the command runs.
 * Does not know: sessions, agents, or who may open a window.
 */

export { createWindows, NO_WINDOWS } from "./windows.ts";
