/** Whether the token of an open WebSocket still counts: it is asked from time to time, since the socket stays open for days. */

import { type ContinuoError, isContinuoError } from "../../model/index.ts";
import { type Authenticate, type Credentials, LIMITS, type Peer } from "../context/index.ts";

export interface TokenCheck {
  /** What the connection proved itself with. */
  begin(credentials: Credentials): void;
  /** Called at each heartbeat. @param onLost the token was revoked, or has expired */
  beat(onLost: (error: ContinuoError) => void): void;
}

export function createTokenCheck(authenticate: Authenticate, peer: Peer): TokenCheck {
  let credentials: Credentials | null = null;
  let beats = 0;
  return {
    begin: (given) => {
      credentials = given;
    },
    beat: (onLost) => {
      if (credentials === null || ++beats % LIMITS.tokenCheckBeats > 0) return;
      authenticate(credentials, peer).catch((error: unknown) => {
        // A store that is unavailable for a moment is asked again.
        if (isContinuoError(error, "unauthorized")) onLost(error);
      });
    },
  };
}
