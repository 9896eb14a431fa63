/** Where Continuo keeps its own files, and what moves those of the agents. */

import { join, resolve } from "node:path";
import { type AgentName, ContinuoError } from "../../model/index.ts";
import type { Places } from "./port.ts";

/**
 * `$CONTINUO_HOME`, else `~/.continuo`.
 *
 * Errors: `usage` for one below `/proc`: whoever makes folders there with Node never comes back.
 */
export function continuoHome(places: Places): string {
  const home = places.env.CONTINUO_HOME || join(places.home, ".continuo");
  if (!`${resolve(home)}/`.startsWith("/proc/")) return home;
  throw new ContinuoError("usage", `Continuo's own folder cannot be ${home}: nothing can be made there.`, {
    hint: "Name another folder with CONTINUO_HOME, or leave it out for ~/.continuo.",
  });
}

/** The variable that moves all that an agent keeps; each agent's `places.ts` says what else does. */
export const HOME_VARIABLES: Readonly<Record<AgentName, string>> = {
  claude: "CLAUDE_CONFIG_DIR",
  codex: "CODEX_HOME",
  gemini: "GEMINI_CLI_HOME",
  pi: "PI_CODING_AGENT_DIR",
  opencode: "XDG_DATA_HOME",
};
