/** The checks of the agents: whether each is installed, its version, and the number of its sessions. */

import { agentOptionsOf, readConfiguration } from "@continuo/agents/config";
import { type AgentProgram, findAgentProgram } from "@continuo/agents/drivers";
import { isSince } from "@continuo/agents/drivers/process";
import { isAgentName } from "@continuo/core/model";
import { placesOf } from "@continuo/files";
import { readNativeList, TRIED_VERSIONS } from "@continuo/native";
import { plural, type Shell, tildePath } from "../terminal/index.ts";
import type { Finding } from "./finding.ts";

export async function checkAgents(shell: Shell): Promise<readonly Finding[]> {
  const places = placesOf(shell);
  const { agents } = await readConfiguration({ places: shell });
  const programs = await Promise.all(
    Object.values(agents)
      .filter(({ endpoint }) => endpoint === undefined)
      .map((settings) => findAgentProgram(settings.name, { ...agentOptionsOf(settings), places })),
  );
  const { sessions } = await readNativeList({ places, archived: "include" });
  return programs.map((program) => {
    const own = sessions.filter(({ agent }) => agent === program.agent).length;
    return findingFor(program, own, shell);
  });
}

function findingFor(program: AgentProgram, sessions: number, { home }: Shell): Finding {
  const { agent, command, version, install, label } = program;
  const kept = sessions === 0 ? "no sessions" : plural(sessions, "session");
  if (command === null) {
    const hint = install === null ? {} : { hint: `Install it, if you want to use it: ${install}` };
    return { name: agent, state: "missing", message: `${label} is not installed; ${kept}`, ...hint };
  }
  const message = `${version ?? "version unknown"} at ${tildePath(command[0] ?? "", home)}; ${kept}`;
  const tried = isAgentName(agent) ? TRIED_VERSIONS[agent] : null;
  if (tried === null || version === null || !isNewer(version, tried))
    return { name: agent, state: "fine", message };
  return {
    name: agent,
    state: "warning",
    message: `${message}; newer than what Continuo was tried with (${tried})`,
    hint: "Look for a newer version of Continuo if something of this agent is read or driven wrongly.",
  };
}

/** A name before the number, such as in `codex-cli 0.170.0`, is skipped. */
export function isNewer(version: string, tried: string): boolean {
  const number = /\d.*/u.exec(version)?.[0] ?? "";
  return isSince(number, tried) && !isSince(tried, number);
}
