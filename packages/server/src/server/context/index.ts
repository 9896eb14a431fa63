/**
 * The shared part of the server: the context of a request, and every limit.
 *
 * Promises: types and one table.
 * Does not know: any part.
 */

export type {
  Answer,
  Authenticate,
  ConnectionUse,
  CreateMount,
  Credentials,
  GaugeSeries,
  Grant,
  KeptPreferences,
  LiveSettings,
  LogCreation,
  McpService,
  Metrics,
  Mount,
  OnLost,
  PageDevice,
  PageKeys,
  PageName,
  PageUse,
  Peer,
  Quotas,
  Reach,
  Reception,
  ScanAttachment,
  SecurityEvent,
  SecurityEventType,
  SecurityLog,
  SendAttempt,
  ServerContext,
  ServerEnv,
  ServerLimits,
  SlowReaders,
  WebhookHosts,
} from "./context.ts";
export { DEFAULT_LIMITS, LIMITS, PAGE_LIVES } from "./limits.ts";
export {
  APPROVAL_STATUSES,
  type SentMessage,
  type ServedAnswer,
  type ServedApproval,
  type ServedRun,
  type ServedSession,
  type SessionsService,
} from "./sessions-service.ts";
