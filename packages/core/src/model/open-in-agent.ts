/** The error for a native session that is open in its agent, where nobody else may write to it. */

import { ContinuoError, type ErrorParts } from "./errors.ts";

export interface OpenSession {
  readonly agent: string;
  readonly sessionId: string;
}

export function openInAgent({ agent, sessionId }: OpenSession, parts: ErrorParts = {}): ContinuoError {
  return new ContinuoError("session_live", `session ${sessionId} is open in ${agent}`, {
    hint: "Close it there first.",
    ...parts,
    details: { agent, sessionId, ...parts.details },
  });
}
