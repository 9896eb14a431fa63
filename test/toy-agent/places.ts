/** The toy agent's name, and where it keeps its sessions. */

import { join } from "node:path";
import type { Places } from "../../src/files/index.ts";
import type { AgentName } from "../../src/model/index.ts";

/** As if it stood in `AGENT_NAMES`. */
export const TOY: AgentName = "toy" as AgentName;

export function folderOf({ home, env }: Places): string {
  return env.TOY_HOME ?? join(home, ".toy");
}

export function placeOf(sessionId: string, places: Places): string {
  return join(folderOf(places), `${sessionId}.toy`);
}
