/**
 * What the parts of the server share: the context of a request, and every limit.
 *
 * Promises: types and one table.
 * Does not know: any part.
 */

export type {
  Authenticate,
  CreateMount,
  Credentials,
  Grant,
  LiveSettings,
  Metrics,
  Mount,
  Peer,
  Quotas,
  ServerContext,
  ServerEnv,
  TokenLimits,
} from "./context.ts";
export { LIMITS, TOKEN_LIMITS } from "./limits.ts";
