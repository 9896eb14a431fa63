/** The line under the list about sessions that an agent's own list does not show. */

import { rowsOf } from "@continuo/agents/catalog";
import { AGENT_LABELS, type AgentName, isContinuoError } from "@continuo/core/model";
import { placesOf } from "@continuo/files";
import { findHiddenSessions, hiddenCauses, READABLE_AGENTS } from "@continuo/native";
import { plural, type Shell } from "../../terminal/index.ts";

/** `null` where every list is complete, or where this cannot be found out now. */
export async function hiddenNote(
  shell: Shell,
  agents: readonly AgentName[] = READABLE_AGENTS,
): Promise<string | null> {
  try {
    const counts = await countHidden(shell, agents);
    const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
    return total === 0 ? null : toNote(total, [...counts.keys()]);
  } catch (error) {
    // The list itself was shown: a person who wants to know asks the doctor.
    if (!isContinuoError(error)) throw error;
    return null;
  }
}

/** Sessions that their agent leaves out against its own will, by agent. */
async function countHidden(
  shell: Shell,
  agents: readonly AgentName[],
): Promise<ReadonlyMap<AgentName, number>> {
  const places = placesOf(shell);
  const memo = rowsOf(places);
  const counts = new Map<AgentName, number>();
  const signal = shell.signal === undefined ? {} : { signal: shell.signal };
  for await (const { found, cause } of findHiddenSessions({ places, agents, memo, ...signal })) {
    if ((await hiddenCauses(found.agent))[cause]?.intended !== false) continue;
    counts.set(found.agent, (counts.get(found.agent) ?? 0) + 1);
  }
  await memo.save("part");
  return counts;
}

function toNote(total: number, agents: readonly AgentName[]): string {
  const names = agents.map((agent) => AGENT_LABELS[agent]);
  const whose = names.length === 1 ? `${names[0]}'s own list` : `the own lists of ${names.join(" and ")}`;
  return `${plural(total, "session is", "sessions are")} hidden from ${whose}: \`continuo doctor sessions\``;
}
