/**
 * `continuo trust`: lets the configuration of a project run programs.
 *
 * Promises: the trusted keys and files are shown; trust covers a folder, and one content of one file; nothing of the project runs.
 * Does not know: the meaning of the configuration.
 */

export { addTrustCommand } from "./commands.ts";
