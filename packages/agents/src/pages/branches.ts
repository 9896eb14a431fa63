/** The places where the branches of a session part, from the ids of their messages. Pure. */

import type { Leaf } from "@continuo/core/model";
import type { Branch } from "@continuo/core/wire/machine";

/** The messages of one branch, from the first to the last. */
export interface BranchPath {
  readonly leaf: Leaf;
  readonly ids: readonly string[];
  /** For each message, the number of its turn; 1-based. */
  readonly turns: readonly number[];
}

/** Each branch parts from the earlier branch with which it shares most messages; among equals, from the first. Pure. */
export function toBranches(paths: readonly BranchPath[]): Branch[] {
  return paths.map(({ leaf, ids, turns }, at) => {
    let parent: BranchPath | null = null;
    let shared = 0;
    for (const earlier of paths.slice(0, at)) {
      const both = sharedStart(ids.length, (index) => ids[index] === earlier.ids[index]);
      if (both > shared) [parent, shared] = [earlier, both];
    }
    const messageId = ids[shared];
    const first = messageId === undefined ? null : { messageId, turn: turns[shared] ?? 1 };
    return { ...leaf, parent: parent?.leaf.id ?? null, shared, first };
  });
}

/** The number of items at the start of two lists that are the same. @param most the greatest possible number */
export function sharedStart(most: number, isSame: (at: number) => boolean): number {
  let at = 0;
  while (at < most && isSame(at)) at += 1;
  return at;
}
