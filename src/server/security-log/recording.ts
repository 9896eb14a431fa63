/** Where refusals of requests and of secrets come by. */

import { type ContinuoError, isContinuoError } from "../../model/index.ts";
import type { Authenticate, Peer, SecurityLog } from "../context/index.ts";

/** A request without a secret is no login. */
export function recordingLogins(authenticate: Authenticate, log: SecurityLog): Authenticate {
  return async (credentials, peer) => {
    try {
      return await authenticate(credentials, peer);
    } catch (error) {
      const { address } = peer;
      if (isContinuoError(error, "rate_limited")) log.record("guesses_limited", { address });
      else if (isContinuoError(error, "unauthorized") && credentials.secret !== undefined) {
        log.record("login_failed", { address, reason: error.message });
      }
      throw error;
    }
  };
}

/** A refusal of the gate, which it returns. The URL stays out of the log. */
export function recordRefusal<E extends ContinuoError | undefined>(
  refusal: E,
  { address }: Peer,
  log: SecurityLog,
): E {
  if (refusal === undefined) return refusal;
  const { host, origin } = refusal.details;
  if (origin !== undefined) log.record("origin_refused", { address, reason: String(origin) });
  else if (host !== undefined) log.record("host_refused", { address, reason: String(host) });
  else log.record("token_in_url", { address });
  return refusal;
}
