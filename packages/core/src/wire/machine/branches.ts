/** The messages at which the branches of a session separate: `GET /v1/machine/sessions/KEY/branches`. */

import type { Leaf } from "../../model/index.ts";

export interface Branch extends Leaf {
  /**
   * The id of the leaf of the branch from which this one separates; `null` if this branch shares no message with an
   * earlier one.
   */
  readonly parent: string | null;
  /** The number of messages that it shares with its parent. */
  readonly shared: number;
  /**
   * The first message of the branch that its parent does not have, and the turn of that message; `null` if there is
   * none.
   */
  readonly first: { readonly messageId: string; readonly turn: number } | null;
}

export interface SessionBranches {
  /** The active branch is first, then the newest ones. A parent comes before the branches that separate from it. */
  readonly branches: readonly Branch[];
  /** The number of branches that are left out. */
  readonly left: number;
}
