/** The driver of an agent, as the configuration wants it started. */

import { openAgent } from "../../agents/index.ts";
import type { AgentDriver } from "../../model/index.ts";
import { type AgentSettings, drivingOf } from "../config/index.ts";
import { placesOf } from "../places/index.ts";
import type { Shell } from "../terminal/index.ts";

/** Errors: `usage` for one that nobody knows, and for arguments of a program that is not named. */
export async function openDriver(settings: AgentSettings, shell: Shell): Promise<AgentDriver> {
  return await openAgent(settings.name, { ...drivingOf(settings), places: placesOf(shell) });
}
