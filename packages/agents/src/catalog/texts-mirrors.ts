/** The texts of sessions that other machines mirror to this one. */

import { type AgentName, isContinuoError, present } from "@continuo/core/model";
import { findNativeSessions, lookUpSession } from "@continuo/native";
import { listMirrors, type OpenedMirror, openMirror } from "@continuo/native/editing/mirrors";
import type { FoundSession } from "@continuo/native/kit";
import type { CatalogSource } from "./indexed-session.ts";
import { type NativeSourceOptions, toSources } from "./texts-native.ts";

export interface MirrorSourceOptions extends Omit<NativeSourceOptions, "onFound"> {
  /** The ids of all existing native sessions. */
  readonly metIds: ReadonlySet<string>;
}

/** Mirrors that were taken over are left out, because they are separate sessions now. */
export async function mirrorSources(options: MirrorSourceOptions): Promise<CatalogSource[]> {
  const { places, metIds, isExcluded } = options;
  const sources: CatalogSource[] = [];
  for (const mirror of listMirrors(places)) {
    if (mirror.takenOver?.session != null || metIds.has(mirror.sessionId)) continue;
    if (mirror.folder !== null && isExcluded(mirror.folder)) continue;
    const at = openMirror(mirror, places);
    if (isExcluded(at.location)) continue;
    const found = await foundIn(at, mirror.agent, options.signal);
    sources.push(...(await toSources(found, { ...options, places: at.places })));
  }
  return sources;
}

/** The session with the files of its sub-agents. */
async function foundIn(
  at: OpenedMirror,
  agent: AgentName,
  signal: AbortSignal | undefined,
): Promise<readonly FoundSession[]> {
  const looking = present({ places: at.places, signal });
  try {
    const { found } = await lookUpSession(at.location, looking);
    const others: FoundSession[] = [];
    for await (const one of findNativeSessions({ ...looking, agents: [agent], subagents: "include" }))
      if (one.location !== found.location) others.push(one);
    return [found, ...others];
  } catch (error) {
    // The first bytes of the mirror have not arrived yet.
    if (!isContinuoError(error)) throw error;
    return [];
  }
}
