/** The line under the list about sessions that an agent's own list does not show. */

import { findLeftOut } from "@continuo/agents/catalog";
import { AGENT_LABELS, type AgentName, isContinuoError, present } from "@continuo/core/model";
import { plural, type Shell } from "../../terminal/index.ts";

/** `null` if every list is complete, or if this cannot be determined now. */
export async function hiddenNote(
  shell: Shell,
  agents: readonly AgentName[] | undefined,
): Promise<string | null> {
  try {
    const left = await findLeftOut(shell, present({ agents, signal: shell.signal }));
    const names = new Set(left.map(({ hidden }) => hidden.found.agent));
    return left.length === 0 ? null : toNote(left.length, [...names]);
  } catch (error) {
    // The list itself was shown: a person who wants to know the cause can ask the doctor.
    if (!isContinuoError(error)) throw error;
    return null;
  }
}

function toNote(total: number, agents: readonly AgentName[]): string {
  const names = agents.map((agent) => AGENT_LABELS[agent]);
  const whose = names.length === 1 ? `${names[0]}'s own list` : `the own lists of ${names.join(" and ")}`;
  return `${plural(total, "session is", "sessions are")} hidden from ${whose}: \`continuo doctor sessions\``;
}
