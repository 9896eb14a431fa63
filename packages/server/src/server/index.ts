/**
 * The server: every log over HTTP, for holders of a token.
 *
 * Each part of the server is a `CreateMount` in `mounts.ts`.
 *
 * Promises: a handler is `(Request) -> Response` and needs no socket; a query never leaves the workspace of its
 * token; a write that was answered as stored is durable.
 * Does not know: flags and the terminal, how a store works, the rules of channels (`@continuo/store/channels`).
 */

export { allowEverybody, createAuthenticate } from "./auth/index.ts";
export type {
  Authenticate,
  CreateMount,
  Credentials,
  Grant,
  LiveSettings,
  McpService,
  Mount,
  Peer,
  Reach,
  ScanAttachment,
  ServedAnswer,
  ServedApproval,
  ServedRun,
  ServedSession,
  ServerContext,
  ServerEnv,
  ServerLimits,
  SessionsService,
} from "./context/index.ts";
export { DEFAULT_LIMITS } from "./context/index.ts";
export { extensionOrigins } from "./extension/index.ts";
export { type ListenOptions, listen, type ServerHandle, toNodeListener } from "./listen.ts";
export { MOUNTED, PHONE_PARTS } from "./mounts.ts";
export { createPhones } from "./phones/index.ts";
export { type ContinuoServer, createServer } from "./server.ts";
export type { ServerOptions } from "./server-options.ts";
export { type TrustedProxies, trustedProxies } from "./sockets/index.ts";
export { assertWebhookKey } from "./subscriptions/index.ts";
