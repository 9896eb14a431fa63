/** Sessions that an agent alone knows: nobody here reads its files, so its program is asked. */

import { listAllSessions, type ToldSession } from "../../agents/index.ts";
import { type AgentDriver, isAgentName, isContinuoError } from "../../model/index.ts";

/** Whether its sessions are known by its own word alone. */
export function isToldAlone(agent: string): boolean {
  return !isAgentName(agent);
}

/**
 * Its own list, of one folder where one is given; starts its program where none is open. None where it has no list.
 *
 * Errors: `agent_missing`, `agent_failed`.
 */
export async function toldSessions(
  driver: AgentDriver,
  { cwd }: { readonly cwd?: string },
): Promise<readonly ToldSession[]> {
  const asked = { agents: [], drivers: [driver], ...(cwd === undefined ? {} : { cwd }) };
  const { sessions, failures } = await listAllSessions(asked);
  const [failure] = failures;
  if (failure === undefined) return sessions;
  if (isContinuoError(failure.error, "unsupported")) return [];
  throw failure.error;
}
