/** Finds the agents of this machine, and the command by which they start Continuo's server. */

import { existsSync } from "node:fs";
import { AGENT_NAMES, type AgentName, ContinuoError, isAgentName } from "@continuo/core/model";
import type { Places } from "@continuo/files";
import { agentOf, HOME_VARIABLES, type ServerCommand } from "@continuo/native";

/** Returns the named agent; if none is named, all agents that were used on this machine. Errors: `usage`. */
export function agentsFor(agent: string | null, places: Places): readonly AgentName[] {
  if (agent === null) {
    const used = AGENT_NAMES.filter((name) =>
      agentOf(name)
        .homes(places)
        .some((folder) => existsSync(folder)),
    );
    if (used.length > 0) return used;
    throw new ContinuoError("usage", "no agent was used on this machine yet", {
      hint: `Name one of ${AGENT_NAMES.join(", ")}.`,
    });
  }
  if (isAgentName(agent)) return [agent];
  throw new ContinuoError("usage", `no agent ${JSON.stringify(agent)}`, {
    hint: `Name one of ${AGENT_NAMES.join(", ")}.`,
  });
}

/** The variables that name folders: some agents pass only these to their servers. */
const VARIABLES: readonly string[] = [
  ...["CONTINUO_HOME", "CONTINUO_STORE", "XDG_CONFIG_HOME"],
  ...Object.values(HOME_VARIABLES),
];

/**
 * @param words the command that starts Continuo, with absolute paths: an agent that a desktop started has another
 * search path
 */
export function serverCommand({ env }: Places, words: readonly string[]): ServerCommand {
  const [command = "", ...args] = words;
  const set = VARIABLES.map((name) => [name, env[name]] as const).filter(
    ([, value]) => value !== undefined && value !== "",
  );
  return {
    command,
    args: [...args, "mcp"],
    env: Object.fromEntries(set.map(([name, value]) => [name, value ?? ""])),
  };
}
