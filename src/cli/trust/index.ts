/**
 * `continuo trust`: allows what a project configures to run programs.
 *
 * Promises: the trusted keys and files are shown; trust covers a folder, and one content of one file; nothing of the project runs.
 * Does not know: what the configuration means.
 */

export { addTrustCommand } from "./commands.ts";
