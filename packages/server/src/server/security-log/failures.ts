/** Failed requests and frames as security events: refused access, limits, refused input, and errors of the server. */

import { httpStatusOf, isContinuoError, present } from "@continuo/core/model";
import type { RequiredPermission } from "@continuo/core/wire";
import type { Grant, Peer, SecurityEvent, SecurityEventType, SecurityLog } from "../context/index.ts";

export interface FailureLog {
  /** Call it when the token of the sender was accepted. */
  know(peer: Peer, grant: Grant): void;
  /** Records, only once, an error that is sent to the sender. The text of the sender stays out of the log. */
  record(error: unknown, peer: Peer): void;
}

export function createFailureLog(log: SecurityLog): FailureLog {
  const grants = new WeakMap<Peer, Grant>();
  const recorded = new WeakSet<object>();
  return {
    know: (peer, grant) => void grants.set(peer, grant),
    record: (error, peer) => {
      if (typeof error !== "object" || error === null || recorded.has(error)) return;
      const grant = grants.get(peer);
      const found = eventOf(error, grant);
      if (found === null) return;
      recorded.add(error);
      const { type, reason } = found;
      log.record(type, { address: peer.address, ...whoIn(grant), reason });
    },
  };
}

/** Returns the ids of a token, of its workspace, and of the token that its page was opened with. */
export function whoIn(grant: Grant | undefined): Omit<SecurityEvent, "address"> {
  if (grant === undefined) return {};
  const { tokenId, workspaceId, page } = grant;
  return present({ tokenId: tokenId ?? undefined, parentId: page?.parentId, workspaceId });
}

interface SecurityFailure {
  readonly type: SecurityEventType;
  readonly reason: string;
}

/** Subscriptions have their own codes, which are added to those of the library. */
const REFUSED_INPUT: readonly unknown[] = ["invalid", "too_large", "INVALID_REQUEST", "WEBHOOK_URL_REJECTED"];

/** Without a token, the parts that refuse secrets and requests record their refusals themselves. */
function eventOf(error: object, grant: Grant | undefined): SecurityFailure | null {
  const code = "code" in error ? error.code : undefined;
  if (code === "TOKEN_INVALID" || code === "TOKEN_EXPIRED") return { type: "login_failed", reason: code };
  if (REFUSED_INPUT.includes(code)) return { type: "input_refused", reason: String(code) };
  if (!isContinuoError(error)) {
    const isMistake = httpStatusOf(error) === 500 && code === undefined;
    return isMistake ? { type: "request_failed", reason: nameOf(error) } : null;
  }
  if (grant === undefined) return null;
  if (code === "rate_limited") return { type: "limit_reached", reason: error.message };
  if (code !== "forbidden") return null;
  const need = error.details.need as RequiredPermission | undefined;
  return { type: "access_refused", reason: need === undefined ? error.message : scopeOf(need) };
}

/** Written like a scope, such as `channel:team:write`. */
function scopeOf(need: RequiredPermission): string {
  const { kind, name, access } = { name: undefined, access: undefined, ...need };
  return [kind, name, access].filter((part) => part !== undefined).join(":");
}

function nameOf(error: object): string {
  return error instanceof Error ? error.name : typeof error;
}
