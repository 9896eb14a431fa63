/** The flags of `move`, as commander passes them, and the places to which a session is mirrored. */

import type { MoveConnection } from "@continuo/agents/handoff/moving";

export interface MoveFlags {
  readonly to?: string;
  readonly takeBack?: true;
  readonly takeOver?: true;
  /** The folder in which to continue a mirror. */
  readonly into?: string;
  readonly follow?: true;
  readonly remoteCommand: string;
  /** The file of the token for a server. */
  readonly tokenFile?: string;
  readonly workTree: boolean;
  readonly force?: true;
  readonly json?: true;
}

export interface FollowPlace {
  /** Its name for people. */
  readonly machine: string;
  readonly connect: () => MoveConnection;
}
