/**
 * Configuration: reads `continuo.yaml` of the user and of the project, merges them with flags, and checks trust.
 *
 * `readConfiguration({ places, flags })` returns the settings of every agent with defaults. A caller that starts an
 * agent calls `assertRunnable`; every other caller calls `assertValid` and may show `untrustedWarning`.
 *
 * Promises: later settings win; settings of a project about programs are used only after `continuo trust`, and
 * only while the file has the same content; agents run with the restrictions of folders that are not trusted; a wrong
 * key is reported with its line; zod and yaml are loaded only for a file that was not read before.
 * Does not know: how an agent is started.
 */

export { agentOptionsOf } from "./agent-options.ts";
export { assertRunnable, assertValid, readHomeConfiguration, untrustedWarning } from "./assertions.ts";
export { findProjectFile, type RawFile, readRawFile } from "./files.ts";
export { type GuardedValue, guardedIn } from "./guarded-keys.ts";
export type { FileMcpServer, FileMcpServers } from "./mcp-schema.ts";
export { openDriver, restrictionFor } from "./open-driver.ts";
export { parseFile, parseMcpFile } from "./parse.ts";
export {
  type AskTrust,
  createProjectTrust,
  type ProjectTrust,
  projectFolderOf,
  type TrustAnswer,
  type TrustQuestion,
} from "./project-trust.ts";
export { readConfiguration } from "./read.ts";
export { type ServerLimitSettings, serverLimitsOfFlags } from "./server-limits.ts";
export {
  type AgentSettings,
  type Configuration,
  type ContextSettings,
  type ContinuationMode,
  FILE_NAME,
  type LiveConfiguration,
  type ModelSettings,
} from "./settings.ts";
export {
  readTrusted,
  readTrustedFolders,
  readTrustRecord,
  type TrustedFile,
  type TrustedFolder,
  trustStateOf,
  writeTrusted,
} from "./trust.ts";
