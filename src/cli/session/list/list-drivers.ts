/** Agents whose files Continuo does not read: if a person names one, it is started and asked. */

import { isListedOnlyByAgent, OWN } from "@continuo/agents/catalog";
import { assertRunnable, type Configuration, openDriver, readConfiguration } from "@continuo/agents/config";
import { type AgentDriver, ContinuoError } from "@continuo/core/model";
import { READABLE_AGENTS } from "@continuo/native";
import type { Shell } from "../../terminal/index.ts";

/** Errors: `usage` for an unknown agent; `untrusted`, `invalid` for the configuration. */
export async function driversNamed(agents: readonly string[], shell: Shell): Promise<readonly AgentDriver[]> {
  const configuration = await readConfiguration({ places: shell });
  const known = namesToldAlone(configuration);
  const strange = agents.find((name) => !known.includes(name));
  // A file that is not trusted may name it.
  if (strange === undefined || configuration.untrusted !== null) assertRunnable(configuration);
  if (strange !== undefined) throw noAgent(strange, known);
  const drivers = [];
  for (const name of agents) {
    const settings = configuration.agents[name];
    if (settings !== undefined) drivers.push(await openDriver(settings, shell));
  }
  return drivers;
}

/** The agents that can be asked. Errors: those of `readConfiguration`. */
export async function namesToAsk(shell: Shell): Promise<readonly string[]> {
  return namesToldAlone(await readConfiguration({ places: shell }));
}

/** The configured agents that have to be asked for their sessions. */
function namesToldAlone({ agents }: Pick<Configuration, "agents">): readonly string[] {
  return Object.keys(agents).filter(isListedOnlyByAgent);
}

function noAgent(name: string, configured: readonly string[]): ContinuoError {
  return new ContinuoError("usage", `there is no agent ${JSON.stringify(name)}`, {
    hint: `Choose one of ${[...READABLE_AGENTS, OWN, ...configured].join(", ")}.`,
  });
}
