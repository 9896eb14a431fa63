/** Where sessions are looked for: this machine, and the examples that ship with Continuo. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  continuoHome,
  findSessions,
  HOME_VARIABLES,
  type Lookup,
  lookUpSession,
  type Places,
  READABLE_AGENTS,
  readerOf,
} from "../../agents/index.ts";
import { type AgentName, isContinuoError } from "../../model/index.ts";
import { packageFolder } from "../installed/index.ts";
import type { Shell } from "../terminal/index.ts";

const EXAMPLES = join(packageFolder(), "examples/sessions");

export function placesOf(shell: Shell): Places {
  return { home: shell.home, env: shell.env };
}

/** What lists found out about files, for the next one. */
export function cacheFileOf(shell: Shell): string {
  return join(continuoHome(placesOf(shell)), "cache/skims");
}

/** The examples laid out as the agents' own folders; `null` where the package came without them. */
export function examplePlaces(): Places | null {
  if (!existsSync(EXAMPLES)) return null;
  const moved = Object.entries(HOME_VARIABLES).map(([agent, name]) => [name, join(EXAMPLES, agent)]);
  const env: Places["env"] = Object.fromEntries(moved);
  return { home: EXAMPLES, env };
}

export async function hasSessions(places: Places): Promise<boolean> {
  for await (const _ of findSessions({ places })) return true;
  return false;
}

/** The folders that were looked into, by agent. */
export async function foldersLookedInto(
  places: Places,
): Promise<readonly { readonly agent: AgentName; readonly folders: readonly string[] }[]> {
  const looked = [];
  for (const agent of READABLE_AGENTS) {
    looked.push({ agent, folders: (await readerOf(agent)).folders?.(places) ?? [] });
  }
  return looked;
}

export interface LocatedSession extends Lookup {
  readonly places: Places;
}

/**
 * The session of this machine; on a machine that has none, an example, which is said on stderr.
 *
 * Errors: as `lookUpSession`.
 */
export async function locate(id: string, shell: Shell): Promise<LocatedSession> {
  const places = placesOf(shell);
  try {
    return { ...(await lookUpSession(id, { places, cwd: shell.cwd })), places };
  } catch (error) {
    const examples = examplePlaces();
    if (!isContinuoError(error, "not_found") || examples === null || (await hasSessions(places))) throw error;
    const example = await lookUpExample(id, examples);
    if (example === null) throw error;
    shell.stderr.write("No sessions on this machine: this is an example session that ships with Continuo.\n");
    return { ...example, places: examples };
  }
}

async function lookUpExample(id: string, places: Places): Promise<Lookup | null> {
  try {
    return await lookUpSession(id, { places });
  } catch (error) {
    if (isContinuoError(error, "not_found")) return null;
    throw error;
  }
}
