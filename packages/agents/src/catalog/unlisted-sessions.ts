/** The hidden sessions that their agents do not leave out on purpose, each with the facts about its cause. */

import type { AgentName } from "@continuo/core/model";
import { type Places, placesOf } from "@continuo/files";
import { findHiddenSessions, hiddenCauses, READABLE_AGENTS } from "@continuo/native";
import type { CauseFacts, HiddenSession } from "@continuo/native/kit";
import { rowsOf } from "./examples.ts";

export interface LeftOutSession {
  readonly hidden: HiddenSession;
  readonly facts: CauseFacts;
}

export interface LeftOutQuery {
  readonly agents?: readonly AgentName[];
  readonly signal?: AbortSignal;
}

/** In the order of the agents. Only reads the sessions, and starts no program. */
export async function findLeftOut(
  user: Places,
  { agents = READABLE_AGENTS, ...query }: LeftOutQuery = {},
): Promise<readonly LeftOutSession[]> {
  const places = placesOf(user);
  const memo = rowsOf(places);
  const left: LeftOutSession[] = [];
  for await (const hidden of findHiddenSessions({ places, agents, memo, ...query })) {
    const facts = (await hiddenCauses(hidden.found.agent))[hidden.cause];
    if (facts?.intended === false) left.push({ hidden, facts });
  }
  await memo.save("part");
  return left;
}
