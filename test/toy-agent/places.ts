/** The toy agent's name, and where it keeps its sessions. */

import { join } from "node:path";
import type { AgentName } from "@continuo/core/model";
import type { Places } from "@continuo/files";

/** The toy agent acts as if it stood in `AGENT_NAMES`. */
export const TOY: AgentName = "toy" as AgentName;

export function folderOf({ home, env }: Places): string {
  return env.TOY_HOME ?? join(home, ".toy");
}

export function placeOf(sessionId: string, places: Places): string {
  return join(folderOf(places), `${sessionId}.toy`);
}
