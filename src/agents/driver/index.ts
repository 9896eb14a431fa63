/**
 * What all drivers share: how a session is opened, a turn told, a permission asked, a resumption verified; and
 * how a driver becomes an agent of the session manager.
 *
 * Promises: every way that was tried is told with its outcome; a turn ends once, and holds a bounded number of
 * events; nothing that is waited for is waited for without a limit; who cannot be asked has denied.
 * Does not know: any agent's protocol.
 */

export { type AgentOptions, type DrivenAgent, type ReplayWriter, toAgent } from "./as-agent.ts";
export {
  createDriverByHelp,
  type LinkParts,
  type LinkWithWays,
  noList,
} from "./by-help.ts";
export {
  type KnownCapabilities,
  NO_CAPABILITIES,
  recallCapabilities,
  rememberCapabilities,
} from "./capabilities.ts";
export { type Cascade, type Opened, runCascade, type Step } from "./cascade.ts";
export { beginConversation, createConversation, type Link } from "./conversation.ts";
export { newestOf } from "./last.ts";
export {
  type Landing,
  type OpenedSession,
  type OpenRequest,
  openSession,
  type Ways,
} from "./opening.ts";
export {
  commandOf,
  DRIVER_LIMITS,
  type DriverLimits,
  type DriverOptions,
  driverEnvironment,
  limitsOf,
  type ProgramName,
} from "./options.ts";
export {
  type AskPermission,
  answererOf,
  askPermission,
  decideByPolicy,
  optionFor,
  PERMISSION_POLICIES,
  type PermissionInTurn,
  type PermissionPolicy,
  type PolicyOptions,
  permissionsBy,
} from "./permissions.ts";
export { replacePrivateFile } from "./private-file.ts";
export { type Question, Questions } from "./questions.ts";
export { type SaidBefore, type SaidWhere, toSaidBefore } from "./said-before.ts";
export { Turn, type TurnOptions } from "./turn.ts";
export {
  type DiskMark,
  findOnDisk,
  historyOnDisk,
  markOf,
  type Verified,
  verifyAfterTurn,
} from "./verify.ts";
export { type WaitOptions, within } from "./within.ts";
