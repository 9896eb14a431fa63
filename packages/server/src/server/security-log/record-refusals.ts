/** Records logins, and refusals of requests and of secrets. */

import { type ContinuoError, isContinuoError } from "@continuo/core/model";
import type { Authenticate, Grant, Peer, SecurityLog } from "../context/index.ts";
import { networkOf } from "../sockets/index.ts";
import { whoIn } from "./failures.ts";
import { LIMITS } from "./limits.ts";

/**
 * A request without a secret does not count as a login. The first use of an accepted token from a network within an
 * hour counts as a login.
 */
export function recordingLogins(authenticate: Authenticate, log: SecurityLog): Authenticate {
  const isFirst = createFirstUses();
  return async (credentials, peer) => {
    try {
      const grant = await authenticate(credentials, peer);
      if (isFirst(grant)) log.record("token_accepted", { address: peer.address, ...whoIn(grant) });
      return grant;
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

/** Without tokens, there is no login. */
function createFirstUses(): (grant: Grant) => boolean {
  const uses = new Map<string, number>();
  return ({ tokenId, peer }) => {
    if (tokenId === null) return false;
    const key = `${tokenId} ${networkOf(peer.address)}`;
    const now = performance.now();
    const before = uses.get(key);
    if (before !== undefined && now - before < LIMITS.acceptedMs) return false;
    if (uses.size >= LIMITS.rememberedUses) uses.clear();
    uses.set(key, now);
    return true;
  };
}

/** Records a refusal of the gate, and returns it. The URL stays out of the log. */
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
