/**
 * `continuo acp`: serves every session of this machine to an editor.
 *
 * Promises: standard output is the protocol's alone; what people should know goes to standard error.
 * Does not know: how a session is found, replayed or continued.
 */

export { addAcpCommand } from "./commands.ts";
