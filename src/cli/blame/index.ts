/**
 * `continuo blame`: from a line of a file, or from a commit, to the turns of sessions that wrote it.
 *
 * Promises: a line that no session wrote is reported as such; what was not searched or read is counted; nothing is
 * changed, neither in the repository nor in a session.
 * Does not know: how sessions are searched, how edits are compared.
 */

export { addBlameCommand } from "./commands.ts";
