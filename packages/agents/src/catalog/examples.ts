/** The places of sessions: this machine, and the examples that ship with Continuo. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { AgentName } from "@continuo/core/model";
import { type Places, packageFile } from "@continuo/files";
import { findNativeSessions, formatOf, HOME_VARIABLES, READABLE_AGENTS } from "@continuo/native";
import { indexPathOf, openRows } from "@continuo/native/index-file";
import type { SavedSkimMemo } from "@continuo/native/kit";

/** The rows in the index, which a list saves for the next list. They are opened when a list first needs them. */
export function rowsOf(places: Places): SavedSkimMemo {
  return openRows(indexPathOf(places), Date.now());
}

/** The examples laid out as the agents' own folders; `null` if the package came without them. */
export function examplePlaces(): Places | null {
  const home = packageFile("examples/sessions");
  if (home === null || !existsSync(home)) return null;
  const moved = Object.entries(HOME_VARIABLES).map(([agent, name]) => [name, join(home, agent)]);
  const env: Places["env"] = Object.fromEntries(moved);
  return { home, env };
}

export async function hasSessions(places: Places): Promise<boolean> {
  for await (const _ of findNativeSessions({ places })) return true;
  return false;
}

/** The folders that were searched, by agent. */
export async function foldersLookedInto(
  places: Places,
): Promise<readonly { readonly agent: AgentName; readonly folders: readonly string[] }[]> {
  const looked = [];
  for (const agent of READABLE_AGENTS) {
    looked.push({ agent, folders: (await formatOf(agent)).folders?.(places) ?? [] });
  }
  return looked;
}
