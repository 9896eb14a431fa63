/** Opens the driver of an agent by its configuration, with the restrictions of folders that are not trusted. */

import { type AgentDriver, ContinuoError, type Restriction } from "@continuo/core/model";
import { continuoHome, type PlacesAt } from "@continuo/files";
import { type OpenAgentOptions, openAgent, restrictionIn } from "../drivers/index.ts";
import { agentOptionsOf } from "./agent-options.ts";
import type { AgentSettings } from "./settings.ts";
import { isTrustedFolder, readTrustedFolders } from "./trust.ts";

/** Errors: `usage` for an unknown agent, and for arguments without a program; `unsupported` for a model. */
export async function openDriver(
  settings: AgentSettings,
  places: PlacesAt,
  more: Pick<OpenAgentOptions, "onWait" | "isTrusted" | "writerWaitMs"> = {},
): Promise<AgentDriver> {
  if (settings.endpoint !== undefined) {
    throw new ContinuoError("unsupported", `${settings.name} is a model, which has no program`);
  }
  return await openAgent(settings.name, { ...optionsOf(settings, places), ...more });
}

/**
 * Returns the restrictions of the agent in a folder. Errors: as `openDriver`; `corrupt` for an unreadable record of
 * trust.
 */
export function restrictionFor(
  settings: AgentSettings,
  places: PlacesAt,
  cwd: string,
  more: Pick<OpenAgentOptions, "isTrusted"> = {},
): Restriction | null {
  return restrictionIn(settings.name, cwd, { ...optionsOf(settings, places), ...more });
}

function optionsOf(settings: AgentSettings, places: PlacesAt): OpenAgentOptions {
  const home = continuoHome(places);
  return {
    ...agentOptionsOf(settings),
    places,
    isTrusted: (folder) => isTrustedFolder(folder, readTrustedFolders(home)),
  };
}
