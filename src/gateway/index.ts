/**
 * The gateway for editors: one ACP agent over every session of this machine, of any agent.
 *
 * Promises: the list and the history of a session start no agent; an id stays valid when its session continues in
 * another agent; no update of a turn follows the end of the turn; only protocol messages reach the output, and they are
 * written no faster than the editor reads them.
 * Does not know: the protocol of any agent, how a turn is stored, or the files of a session.
 */

export { type GatewayOptions, serveAcp } from "./serve.ts";
