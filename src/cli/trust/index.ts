/**
 * `continuo trust`: lets the configuration of a project run programs.
 *
 * Promises: the trusted keys and files are shown; trust in a folder also covers later changes, and trust in a file
 * covers only its present content; the command itself runs no program of the project.
 * Does not know: the meaning of the configuration.
 */

export { addTrustCommand } from "./commands.ts";
