/** Rows of agents whose files nobody here reads: they are started and asked, where a person names them. */

import { listAllSessions, READABLE_AGENTS } from "../../agents/index.ts";
import { ContinuoError } from "../../model/index.ts";
import { assertRunnable, type Configuration, readConfiguration } from "../config/index.ts";
import { isToldAlone, openDriver } from "../driving/index.ts";
import { type ListedSession, OWN } from "../own/index.ts";
import type { Shell } from "../terminal/index.ts";

export interface ToldRows {
  readonly rows: readonly ListedSession[];
  /** Agents that could not be asked, or have no list. */
  readonly failures: readonly { readonly agent: string; readonly error: ContinuoError }[];
}

export interface Asked {
  readonly agents: readonly string[];
  readonly cwd?: string;
  readonly since?: string;
}

/** Errors: `usage` for an agent that nobody knows; `untrusted`, `invalid` for what the configuration says. */
export async function listTold({ agents, ...filter }: Asked, shell: Shell): Promise<ToldRows> {
  const configuration = await readConfiguration({ shell });
  const known = namesToldAlone(configuration);
  const strange = agents.find((name) => !known.includes(name));
  // Perhaps a file that is not trusted names it.
  if (strange === undefined || configuration.untrusted !== null) assertRunnable(configuration);
  if (strange !== undefined) throw noAgent(strange, known);
  const drivers = [];
  for (const name of agents) {
    const settings = configuration.agents[name];
    if (settings !== undefined) drivers.push(await openDriver(settings, shell));
  }
  const { sessions, failures } = await listAllSessions({ agents: [], drivers, ...filter });
  const rows = sessions.map(({ agent, sessionId, title, cwd, updatedAt }) => ({
    ...{ agent, sessionId, title, cwd, updatedAt },
    ...{ gitBranch: null, createdAt: null, sizeBytes: null, archived: false, live: null, problems: [] },
    // How it is named: nobody here knows where it lies.
    location: `${agent}:${sessionId}`,
  }));
  return { rows, failures };
}

/** Who can be asked. Errors: as `readConfiguration`. */
export async function namesToAsk(shell: Shell): Promise<readonly string[]> {
  return namesToldAlone(await readConfiguration({ shell }));
}

/** Those that the configuration names, and that have to be asked. */
function namesToldAlone({ agents }: Pick<Configuration, "agents">): readonly string[] {
  return Object.keys(agents).filter(isToldAlone);
}

function noAgent(name: string, configured: readonly string[]): ContinuoError {
  return new ContinuoError("usage", `no agent ${JSON.stringify(name)}`, {
    hint: `Known agents: ${[...READABLE_AGENTS, OWN, ...configured].join(", ")}.`,
  });
}
