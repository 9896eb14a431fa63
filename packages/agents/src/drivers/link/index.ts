/**
 * The shared part of all drivers: opening a session, the events of a turn, permissions, and the check of a resumption.
 *
 * Promises: every attempt to open a session is reported with its outcome; a turn ends once and holds a bounded number
 * of events; every wait has a limit; a question that nobody can answer is denied. `toAgent` turns a driver into an
 * agent of the session manager.
 * Does not know: the protocol of any agent.
 */

export { assertAgentOptions } from "./agent-options.ts";
export {
  AGENT_OPTIONS,
  type AgentOptions,
  type DrivenAgent,
  type ReplayWriter,
  toAgent,
} from "./as-agent.ts";
export {
  type KnownCapabilities,
  NO_CAPABILITIES,
  recallCapabilities,
  rememberCapabilities,
} from "./capabilities.ts";
export type { CascadeStep } from "./cascade.ts";
export { beginConversation, type Link } from "./conversation.ts";
export { createDriverByHelp, type LinkParts, type LinkWithMethods, noList } from "./help-driver.ts";
export {
  type OpenedSession,
  type OpeningMethods,
  type OpenOutcome,
  openAgentSession,
} from "./open-conversation.ts";
export {
  commandOf,
  type DriverLimits,
  type DriverOptions,
  driverEnvironment,
  limitsOf,
  type ProgramName,
  restrictionOf,
  trustOf,
} from "./options.ts";
export {
  type AskPermission,
  answererOf,
  askPermission,
  optionFor,
  PERMISSION_POLICIES,
  type PermissionPolicy,
  type PolicyOptions,
  permissionsBy,
} from "./permissions.ts";
export { writePolicyFile } from "./policy-file.ts";
export { refusePart } from "./prompt-parts.ts";
export {
  answersTo,
  choicesIn,
  type Form,
  type FormAnswer,
  type FormField,
  formOf,
  Questions,
  showsForm,
} from "./questions.ts";
export { retryEvent } from "./retry.ts";
export { assertEffort, toCommands, toContextUse, tokensOf } from "./settings.ts";
export { within } from "./time-limit.ts";
export { chooseServers, type ServerSelection, type ToolServerKind } from "./tool-servers.ts";
export { AgentTurn } from "./turn.ts";
export { findOnDisk } from "./verify.ts";
export { sessionThatHeard } from "./writer.ts";
