/**
 * The ids by which editors name sessions. They never change, even if a session continues in Continuo or in another
 * agent. `AGENT:ID` names a conversation that began as a native session, even if it is a session of Continuo now;
 * `continuo:ID` names one that began here.
 */

import { OWN } from "@continuo/agents/catalog";
import { ContinuoError } from "@continuo/core/model";

export function ownId(sessionId: string): string {
  return `${OWN}:${sessionId}`;
}

export interface SessionName {
  readonly agent: string;
  readonly sessionId: string;
}

/** Errors: `not_found` for a text that is not such an id; names that people type, such as `last`, are not accepted. */
export function parseId(id: string): SessionName {
  const [, agent, sessionId] = /^([a-z][a-z0-9-]{0,39}):([^\p{Cc}]{1,512})$/u.exec(id) ?? [];
  if (agent === undefined || sessionId === undefined) throw sessionGone(id);
  return { agent, sessionId };
}

/** The error for a session that does not exist. A session that does not exist is never replaced by a new one. */
export function sessionGone(id: string): ContinuoError {
  return new ContinuoError("not_found", `there is no session ${JSON.stringify(id)}`, {
    hint: "Ask for the list of sessions again.",
    details: { sessionId: id },
  });
}
