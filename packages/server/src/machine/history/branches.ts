/**
 * The places where the branches of a session part, from the ids of their messages. They are read only on
 * request.
 */

import { openCatalogSession } from "@continuo/agents/catalog";
import type { Leaf, Message } from "@continuo/core/model";
import type { Branch, SessionBranches } from "@continuo/core/wire/machine";
import type { HistoryRequest } from "./histories.ts";
import { slowly } from "./history-reader.ts";
import { HISTORY_LIMITS } from "./limits.ts";
import { beginsTurn } from "./turn-facts.ts";

/** The messages of one branch, from the first to the last. */
export interface BranchPath {
  readonly leaf: Leaf;
  readonly ids: readonly string[];
  /** For each message, the number of its turn; 1-based. */
  readonly turns: readonly number[];
}

/** Errors: those of reading the session. */
export async function branchesOf(asked: HistoryRequest, signal: AbortSignal): Promise<SessionBranches> {
  using session = await openCatalogSession(await asked.locate(), asked.places, { signal });
  const { leaves } = session;
  const paths: BranchPath[] = [];
  let messages = 0;
  for (const leaf of leaves.slice(0, HISTORY_LIMITS.branches)) {
    messages += leaf.messages;
    // The active branch is always read, because the others are drawn beside it.
    if (messages > HISTORY_LIMITS.branchMessages && paths.length > 0) break;
    paths.push(await pathOf(leaf, session.history({ leaf: leaf.id }), signal));
  }
  return { branches: toBranches(paths), left: leaves.length - paths.length };
}

async function pathOf(leaf: Leaf, history: AsyncIterable<Message>, signal: AbortSignal): Promise<BranchPath> {
  const ids: string[] = [];
  const turns: number[] = [];
  let turn = 0;
  for await (const message of slowly(history, signal)) {
    if (turn === 0 || beginsTurn(message)) turn += 1;
    ids.push(message.id);
    turns.push(turn);
  }
  return { leaf, ids, turns };
}

/** Each branch parts from the earlier branch with which it shares most messages; among equals, from the first. Pure. */
export function toBranches(paths: readonly BranchPath[]): Branch[] {
  return paths.map(({ leaf, ids, turns }, at) => {
    let parent: BranchPath | null = null;
    let shared = 0;
    for (const earlier of paths.slice(0, at)) {
      const both = sharedBy(ids, earlier.ids);
      if (both > shared) [parent, shared] = [earlier, both];
    }
    const messageId = ids[shared];
    const first = messageId === undefined ? null : { messageId, turn: turns[shared] ?? 1 };
    return { ...leaf, parent: parent?.leaf.id ?? null, shared, first };
  });
}

function sharedBy(a: readonly string[], b: readonly string[]): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return at;
}
