/** The sessions of the format cases, in copies of their homes. */

import { cpSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { HOME_VARIABLES, listNativeSessions, type Places } from "@continuo/agents";
import { AGENT_NAMES, type AgentName, type SessionInfo } from "@continuo/core/model";

const FIXTURES = join(import.meta.dirname, "fixtures");

export const FORMAT_CASES: readonly (readonly [AgentName, string])[] = AGENT_NAMES.flatMap((agent) =>
  readdirSync(join(FIXTURES, agent)).map((name): readonly [AgentName, string] => [agent, name]),
);

export interface CopiedHome {
  readonly places: Places;
  readonly sessions: readonly SessionInfo[];
}

/** @param scratch a folder of the test, which is its home. */
export async function copyHome(
  scratch: string,
  [agent, name]: readonly [AgentName, string],
): Promise<CopiedHome> {
  const home = join(scratch, "agent");
  cpSync(join(FIXTURES, agent, name, "home"), home, { recursive: true });
  const places = { home: scratch, env: { [HOME_VARIABLES[agent]]: home } };
  return { places, sessions: await listNativeSessions({ agents: [agent], places, archived: "include" }) };
}

/** The cases in groups with at most one case of each agent, which fit into one home. */
export const CASE_GROUPS: readonly (readonly (readonly [AgentName, string])[])[] = groupCases();

function groupCases(): (readonly [AgentName, string])[][] {
  const groups: (readonly [AgentName, string])[][] = [];
  for (const one of FORMAT_CASES) {
    const group = groups.find((cases) => !cases.some(([agent]) => agent === one[0]));
    if (group === undefined) groups.push([one]);
    else group.push(one);
  }
  return groups;
}

/** Copies the homes of one group. */
export async function copyGroup(
  scratch: string,
  group: readonly (readonly [AgentName, string])[],
): Promise<CopiedHome> {
  const env: Record<string, string> = {};
  for (const [agent, name] of group) {
    const home = join(scratch, `${agent}-home`);
    cpSync(join(FIXTURES, agent, name, "home"), home, { recursive: true });
    env[HOME_VARIABLES[agent]] = home;
  }
  const agents = group.map(([agent]) => agent);
  const places = { home: scratch, env };
  return { places, sessions: await listNativeSessions({ agents, places, archived: "include" }) };
}
