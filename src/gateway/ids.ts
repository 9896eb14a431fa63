/**
 * The ids by which editors name sessions. They never change: not when a session continues here, nor in another agent.
 * `AGENT:ID` is the native session that a conversation began as, also when it is one of Continuo's by now; what began
 * here is `continuo:ID`.
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

/** Errors: `not_found` for what cannot be an id of ours: names that people type, such as `last`, are none. */
export function parseId(id: string): SessionName {
  const [, agent, sessionId] = /^([a-z][a-z0-9-]{0,39}):([^\p{Cc}]{1,512})$/u.exec(id) ?? [];
  if (agent === undefined || sessionId === undefined) throw sessionGone(id);
  return { agent, sessionId };
}

/** The one error of a session that is not there. It never becomes a new session in silence. */
export function sessionGone(id: string): ContinuoError {
  return new ContinuoError("not_found", `there is no session ${JSON.stringify(id)}`, {
    hint: "Ask for the list of sessions again.",
    details: { sessionId: id },
  });
}
