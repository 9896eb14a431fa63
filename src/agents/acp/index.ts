/**
 * Agents that speak the Agent Client Protocol: one driver for all of them, on its SDK, which is loaded when the
 * first one is started.
 *
 * Promises: what an agent can do is its own answer; what it says that has no place among our events is told
 * verbatim; a silent agent meets a time limit; nothing of this machine (files, terminals) is offered to it.
 * Does not know: where agents keep their sessions.
 */

export { acpCommand } from "./connection.ts";
export { type AcpDriver, type AcpOptions, createAcpDriver } from "./driver.ts";
export { ACP_PROGRAMS, type AcpProgram, configuredProgram } from "./programs.ts";
