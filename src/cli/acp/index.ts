/**
 * `continuo acp`: serves every session of this machine to an editor.
 *
 * Promises: only the protocol is written to standard output; messages for people go to standard error.
 * Does not know: how a session is found, replayed or continued.
 */

export { addAcpCommand } from "./commands.ts";
