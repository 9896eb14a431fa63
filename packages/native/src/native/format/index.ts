/**
 * The port of an agent: everything that Continuo knows about an agent and its sessions.
 *
 * `native/AGENT/agent/` exports an `Agent`, `native/AGENT/index.ts` the `AgentFormat` that it loads, and
 * `registry.ts` has one line for both.
 *
 * Promises: an `Agent` is available immediately; the reading half of its format is available after it is loaded; a part
 * that changes sessions is loaded at its first use.
 * Does not know: any agent.
 */

export type { AcpDescription, AcpHold, Agent, McpServers, ResumableRef, ServerCommand } from "./agent.ts";
export type { AgentFormat } from "./format.ts";
export { objectIn, readRecord, readRecordText, serverEntry } from "./settings.ts";
