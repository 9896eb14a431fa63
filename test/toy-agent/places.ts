/** The toy agent's name, and where it keeps its sessions. */

import { join } from "node:path";
import type { AgentName } from "@continuo/core/model";
import type { Places } from "@continuo/files";

/** The toy agent's name, as if `AGENT_NAMES` contained it. */
export const TOY: AgentName = "toy" as AgentName;

export function folderOf({ home, env }: Places): string {
  return env.TOY_HOME ?? join(home, ".toy");
}

export function placeOf(sessionId: string, places: Places): string {
  return join(folderOf(places), `${sessionId}.toy`);
}
