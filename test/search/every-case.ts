/** One home with the sessions of all format cases, if they can be in one home. */

import { cpSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { HOME_VARIABLES, type Places } from "@continuo/agents";
import { AGENT_NAMES, type AgentName } from "@continuo/core/model";

const FIXTURES = join(import.meta.dirname, "../fixtures");
/** Each case of opencode is a separate database, so a home can have only one of them. */
const OPENCODE_CASE = "compaction";

/** @param some the number of cases of each agent; all by default */
export function copyEveryCase(scratch: string, some?: number): Places {
  for (const agent of AGENT_NAMES) {
    for (const name of casesOf(agent).slice(0, some)) {
      cpSync(join(FIXTURES, agent, name, "home"), join(scratch, agent), { recursive: true });
    }
  }
  rmSync(join(scratch, "claude/sessions"), { recursive: true, force: true });
  const env = Object.fromEntries(AGENT_NAMES.map((agent) => [HOME_VARIABLES[agent], join(scratch, agent)]));
  return { home: scratch, env: { ...env, CONTINUO_HOME: join(scratch, "continuo") } };
}

function casesOf(agent: AgentName): string[] {
  return agent === "opencode" ? [OPENCODE_CASE] : readdirSync(join(FIXTURES, agent));
}
