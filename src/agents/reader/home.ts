/** Where Continuo keeps its own files, and what moves those of the agents. */

import { join } from "node:path";
import type { AgentName } from "../../model/index.ts";
import type { Places } from "./port.ts";

/** `$CONTINUO_HOME`, else `~/.continuo`. */
export function continuoHome(places: Places): string {
  return places.env.CONTINUO_HOME || join(places.home, ".continuo");
}

/** The variable that moves all that an agent keeps; each agent's `places.ts` says what else does. */
export const HOME_VARIABLES: Readonly<Record<AgentName, string>> = {
  claude: "CLAUDE_CONFIG_DIR",
  codex: "CODEX_HOME",
  gemini: "GEMINI_CLI_HOME",
  pi: "PI_CODING_AGENT_DIR",
  opencode: "XDG_DATA_HOME",
};
