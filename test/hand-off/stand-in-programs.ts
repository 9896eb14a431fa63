/** The stand-ins of agents as the programs of a hand-over. */

import type { HandOffOptions } from "@continuo/agents";
import type { AgentName } from "@continuo/core/model";
import { bundledProgram } from "../sizes/shared-programs.ts";

const PROGRAM = await bundledProgram("test/hand-off/stand-in.ts");

export type StandIn = Extract<AgentName, "claude" | "pi">;

/** @param change as `stand-in.ts` takes it. */
export function byStandIn(agent: StandIn, change = ""): Pick<HandOffOptions, "verifyBy" | "programs"> {
  const words = [process.execPath, PROGRAM, agent, change];
  return { verifyBy: "agent", programs: { [agent]: words } };
}
