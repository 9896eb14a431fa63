/** The stand-ins of agents as the programs of a hand-over. */

import { join } from "node:path";
import type { HandOffOptions } from "@continuo/agents";
import type { AgentName } from "@continuo/core/model";

export type StandIn = Extract<AgentName, "claude" | "pi">;

/** @param change as `stand-in.ts` takes it. */
export function byStandIn(agent: StandIn, change = ""): Pick<HandOffOptions, "verifyBy" | "programs"> {
  const words = [process.execPath, join(import.meta.dirname, "stand-in.ts"), agent, change];
  return { verifyBy: "agent", programs: { [agent]: words } };
}
