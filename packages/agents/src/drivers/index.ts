/**
 * Agents as programs: starts the program of an agent and talks to it, by its own protocol or by ACP.
 *
 * Promises: a driver is loaded when it is needed; finding a program starts nothing.
 * Does not know: Continuo's own sessions, or the caller.
 */

export {
  assertOpenAgentOptions,
  OPEN_AGENT_OPTIONS,
  OPEN_OPTIONS,
  type OpenAgentOptions,
  openAgent,
  restrictionIn,
} from "./open-agent.ts";
export { type AgentProgram, findAgentProgram, keepCapabilities } from "./program.ts";
