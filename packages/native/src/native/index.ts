/**
 * Native sessions: finds, lists, reads and writes the sessions of each agent.
 *
 * Promises: reading writes only the caller's own cache file; no agent is started; a name that matches two sessions is
 * an error that lists both.
 * Does not know: any format (one folder per agent has it), or what a caller does with a session.
 */

export type { AcpDescription, AcpHold, Agent, McpServers, ServerCommand } from "./format/index.ts";
export {
  findHiddenSessions,
  type HiddenCause,
  type HiddenQuery,
  hiddenCauses,
  visibilityOf,
} from "./hidden-sessions.ts";
export type { TargetRules } from "./kit/index.ts";
export {
  type FindNativeOptions,
  findNativeSessions,
  isEmptySession,
  type ListOptions,
  listNativeSessions,
  type NativeList,
  pick,
  readNativeList,
} from "./list.ts";
export { LOOKUP_OPTIONS, type Lookup, type LookupOptions, lookUpSession, type SessionRef } from "./lookup.ts";
export {
  checkFoundSession,
  checkNativeSession,
  type NativeSession,
  openNativeSession,
  type ReadOptions,
  readNativeDetails,
  readNativeSession,
  type SessionCheck,
} from "./read.ts";
export {
  agentOf,
  agentOfAdapterFormat,
  forbiddenFolders,
  formatOf,
  HOME_VARIABLES,
  READABLE_AGENTS,
  registerAgent,
  resumeCommandOf,
  TRIED_VERSIONS,
} from "./registry.ts";
