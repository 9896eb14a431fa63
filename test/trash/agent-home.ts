/** Homes of agents whose sessions go to the trash and come back. */

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { findNativeSessions, HOME_VARIABLES, type Places } from "@continuo/agents";
import type { AgentName } from "../../src/index.ts";
import { tested } from "../tested-agents.ts";

/** Returns the variables that move each agent's home to a folder that was copied from a fixture. */
const MOVED = tested((_agent, name) => (home: string) => ({ [HOME_VARIABLES[name]]: home }));

/** The agent's home is the folder `home`, and that of Continuo is in the folder `scratch`. */
export function placesFor(
  agent: AgentName,
  { scratch, home }: Readonly<Record<"scratch" | "home", string>>,
): Places {
  return { home: scratch, env: { ...MOVED[agent](home), CONTINUO_HOME: join(scratch, "continuo") } };
}

/** Returns the path, mode, time stamp to the nanosecond, and bytes of each file. */
export function snapshot(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return Object.fromEntries(
    files.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const { mode, mtimeNs } = statSync(path, { bigint: true });
      return [path, `${mode.toString(8)} ${mtimeNs} ${readFileSync(path, "base64")}`];
    }),
  );
}

/** The sessions of all agents, as `AGENT:ID`. */
export async function listedIn(places: Places): Promise<string[]> {
  const ids: string[] = [];
  for await (const { agent, sessionId } of findNativeSessions({ places })) ids.push(`${agent}:${sessionId}`);
  return ids.sort();
}
