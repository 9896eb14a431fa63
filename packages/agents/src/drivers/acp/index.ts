/**
 * One driver for all agents that speak the Agent Client Protocol, based on the SDK of the protocol.
 *
 * Promises: the capabilities are the agent's own answer; an update without a matching event is passed on verbatim; a
 * time limit applies to a silent agent; the agent is offered files and terminals only if the person's editor has them;
 * the SDK is loaded with the first agent.
 * Does not know: where agents keep their sessions.
 */

export { acpCommand, capabilityKey } from "./connection.ts";
export { toBlock, toContent } from "./content.ts";
export { createAcpDriver } from "./driver.ts";
export {
  type LoginChoice,
  type LoginMethod,
  loggedIn,
  noteLoggedIn,
  noteLoggedOut,
  wantedLogins,
} from "./logins.ts";
export { configuredProgram, knownProgram } from "./programs.ts";
