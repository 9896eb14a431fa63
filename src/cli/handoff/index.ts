/**
 * `continuo handoff`, `resume` and `import`: continue a conversation in another agent, in its own, or on another
 * machine.
 *
 * Promises: nothing is written before the receipt exists; the command that resumes a session is an argument list, never
 * a line for a shell.
 * Does not know: how a session is converted, written or verified.
 */

export { addHandoffCommands } from "./commands.ts";
export { addImportCommand } from "./import-command.ts";
export { handoffWork, resumeWork } from "./work.ts";
export { workTreeJson, workTreeLine } from "./work-tree.ts";
