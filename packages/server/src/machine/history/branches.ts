/**
 * The places where the branches of a session separate, from the ids of their messages. They are read only on request.
 */

import { openCatalogSession } from "@continuo/agents/catalog";
import { type BranchPath, HISTORY_LIMITS, toBranches } from "@continuo/agents/pages";
import type { Leaf, Message } from "@continuo/core/model";
import { createTurnStarts } from "@continuo/core/transcript";
import type { SessionBranches } from "@continuo/core/wire/machine";
import type { HistoryRequest } from "./histories.ts";
import { slowly } from "./history-reader.ts";

/** Errors: those of reading the session. */
export async function branchesOf(asked: HistoryRequest, signal: AbortSignal): Promise<SessionBranches> {
  using session = await openCatalogSession(await asked.locate(), asked.places, { signal });
  const { leaves } = session;
  const paths: BranchPath[] = [];
  let messages = 0;
  for (const leaf of leaves.slice(0, HISTORY_LIMITS.branches)) {
    messages += leaf.messages;
    // The active branch is always read, because the others are drawn next to it.
    if (messages > HISTORY_LIMITS.branchMessages && paths.length > 0) break;
    paths.push(await pathOf(leaf, session.history({ leaf: leaf.id }), signal));
  }
  return { branches: toBranches(paths), left: leaves.length - paths.length };
}

async function pathOf(leaf: Leaf, history: AsyncIterable<Message>, signal: AbortSignal): Promise<BranchPath> {
  const ids: string[] = [];
  const turns: number[] = [];
  let turn = 0;
  const beginsTurn = createTurnStarts();
  for await (const message of slowly(history, signal)) {
    if (beginsTurn(message)) turn += 1;
    ids.push(message.id);
    turns.push(turn);
  }
  return { leaf, ids, turns };
}
