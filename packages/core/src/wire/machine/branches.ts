/** The places where the branches of a session part: `GET /v1/machine/sessions/KEY/branches`. */

import type { Leaf } from "../../model/index.ts";

export interface Branch extends Leaf {
  /** The one that it parts from, by the id of its end; `null` for one that shares nothing with those before it. */
  readonly parent: string | null;
  /** Messages that it shares with its parent. */
  readonly shared: number;
  /** Its first message that the parent does not have, and that message's turn on this branch; `null` where it has none. */
  readonly first: { readonly messageId: string; readonly turn: number } | null;
}

export interface SessionBranches {
  /** The active one first, then the newest; a parent stands before what parts from it. */
  readonly branches: readonly Branch[];
  /** Branches that were not looked at. */
  readonly left: number;
}
