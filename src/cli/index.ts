/**
 * The command line: commands, their flags, what they print and the codes that they exit with.
 *
 * Promises: what `--json` prints is a contract; nothing of a session reaches a terminal before it is made
 * visible; each command's code is loaded when the command is called, and not before.
 * Does not know: the format of any agent.
 */

export { createProgram } from "./program.ts";
