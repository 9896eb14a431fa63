/** Keys: the names of sessions in paths. A key is looked up only among the rows of the list. */

import { createHash } from "node:crypto";

interface SessionIdentity {
  readonly agent: string;
  readonly sessionId: string;
  readonly location: string;
}

const PLAIN_ID = /^[\w.-]{1,200}$/u;

/** `AGENT:ID`; `AGENT:~HASH`, with a hash of the location, for an id that is long or has unusual characters. */
export function keyOf({ agent, sessionId, location }: SessionIdentity): string {
  return PLAIN_ID.test(sessionId) ? `${agent}:${sessionId}` : `${agent}:~${hashOf(location)}`;
}

/** If two files have one id, each gets its own key. The first keeps the plain one. */
export function keysOf<Row extends SessionIdentity>(rows: readonly Row[]): ReadonlyMap<string, Row> {
  const keys = new Map<string, Row>();
  for (const row of rows) {
    const key = keyOf(row);
    keys.set(keys.has(key) ? `${key}~${hashOf(row.location)}` : key, row);
  }
  return keys;
}

/** Stands between the key of a session and the encoded id of a sub-agent; no key of a list contains it. */
export const BELOW = ">";

export function subagentKey(parentKey: string, id: string): string {
  return `${parentKey}${BELOW}${encodeURIComponent(id)}`;
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 16);
}
