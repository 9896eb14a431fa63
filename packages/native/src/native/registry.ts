/**
 * The agents whose sessions Continuo reads. A new agent has a line in `BUILT_IN` and its name in `AGENT_NAMES`, which
 * gives the order: the type of the names is needed on the lowest floor, which imports no agent.
 */

import { AGENT_NAMES, type AgentName, ContinuoError, nameAgent } from "@continuo/core/model";
import { continuoFolders, type Places } from "@continuo/files";
import { claudeAgent } from "./claude/agent/index.ts";
import { codexAgent } from "./codex/agent/index.ts";
import { copilotAgent } from "./copilot/agent/index.ts";
import type { Agent, AgentFormat, ResumableRef } from "./format/index.ts";
import { geminiAgent } from "./gemini/agent/index.ts";
import { opencodeAgent } from "./opencode/agent/index.ts";
import { piAgent } from "./pi/agent/index.ts";

/** The compiler requires a line for each name. */
const BUILT_IN: Readonly<Record<AgentName, Agent>> = {
  claude: claudeAgent,
  codex: codexAgent,
  gemini: geminiAgent,
  pi: piAgent,
  opencode: opencodeAgent,
  copilot: copilotAgent,
};

const AGENTS = new Map<AgentName, Agent>();

const names: AgentName[] = [];

/** In the order in which they are named everywhere. */
export const READABLE_AGENTS: readonly AgentName[] = names;

/** Makes an agent known to every list, look-up and command of this process. Returns a function that removes it again. */
export function registerAgent(agent: Agent): () => void {
  const { name } = agent;
  const removeName = nameAgent(name);
  AGENTS.set(name, agent);
  if (!names.includes(name)) names.push(name);
  return () => {
    removeName();
    AGENTS.delete(name);
    names.splice(names.indexOf(name), 1);
  };
}

for (const name of AGENT_NAMES) registerAgent(BUILT_IN[name]);

export function agentOf(name: AgentName): Agent {
  const agent = AGENTS.get(name);
  if (agent === undefined) throw new Error(`no agent ${name} is registered`);
  return agent;
}

export async function formatOf(agent: AgentName): Promise<AgentFormat> {
  return await agentOf(agent).format();
}

/** Finds the agent by the format's name in `openSessionAdapter`, or by its own name; `null` for none. */
export function agentOfAdapterFormat(format: string): Agent | null {
  return (
    READABLE_AGENTS.map(agentOf).find(({ adapterFormat, name }) => [adapterFormat, name].includes(format)) ??
    null
  );
}

/** The variable that moves all that an agent keeps; each agent's `places.ts` says what else does. */
export const HOME_VARIABLES: Readonly<Record<AgentName, string>> = Object.fromEntries(
  READABLE_AGENTS.map((name) => [name, agentOf(name).homeVariable]),
) as Record<AgentName, string>;

/** For each agent the newest version that wrote a session of the tests; `docs/support.md` lists all of them. */
export const TRIED_VERSIONS: Readonly<Record<AgentName, string>> = {
  claude: "2.1.332",
  codex: "0.171.0",
  gemini: "0.61.0",
  pi: "1.6.0",
  opencode: "1.18.34",
  copilot: "1.0.102",
};

/**
 * Every folder that an agent may use for its files, and Continuo's own. No output file that a person names is written
 * there.
 */
export async function forbiddenFolders(places: Places): Promise<readonly string[]> {
  const formats = await Promise.all(READABLE_AGENTS.map(formatOf));
  return [
    ...READABLE_AGENTS.flatMap((name) => agentOf(name).homes(places)),
    ...continuoFolders(places),
    ...formats.flatMap((format) => format.folders?.(places) ?? []),
  ];
}

/**
 * The command by which an agent continues a session, in the session's folder. Ids come from files that anybody may
 * have written: one that begins with a hyphen would be an option.
 *
 * Errors: `invalid` for such an id.
 */
export function resumeCommandOf(session: ResumableRef): readonly string[] {
  const command = agentOf(session.agent).resumeCommand(session);
  if (!command.at(-1)?.startsWith("-")) return command;
  throw new ContinuoError(
    "invalid",
    `cannot resume ${session.agent}:${session.sessionId}: ${session.agent} would take the id for an option`,
    {
      hint: "Check the file with `continuo session show`: no agent creates such an id.",
    },
  );
}
