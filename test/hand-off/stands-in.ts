/** The stand-ins of agents as the programs of a hand-over. */

import { join } from "node:path";
import type { HandOffOptions } from "../../src/agents.ts";
import type { AgentName } from "../../src/model/index.ts";

export type StandIn = Extract<AgentName, "claude" | "pi">;

/** @param change as `stand-in.ts` takes it. */
export function byStandIn(agent: StandIn, change = ""): Pick<HandOffOptions, "verifyBy" | "programs"> {
  const words = [process.execPath, join(import.meta.dirname, "stand-in.ts"), agent, change];
  return { verifyBy: "agent", programs: { [agent]: words } };
}
