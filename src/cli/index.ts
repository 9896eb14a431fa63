/**
 * The command line: commands, flags, output and exit codes.
 *
 * Promises: the output of `--json` is a contract; text from a session is made visible before it reaches a terminal;
 * the code of a command is loaded when the command is called.
 * Does not know: the format of any agent.
 */

export { createProgram } from "./program.ts";
