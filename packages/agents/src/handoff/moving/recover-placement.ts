/** Finds a session that a killed process placed before it could record that. */

import { type AgentName, present } from "@continuo/core/model";
import { mayBeWrittenSince, type Places, statFile } from "@continuo/files";
import { listNativeSessions } from "@continuo/native";
import { originOfHandOff } from "../source/index.ts";

/** The record that is written before the session is placed. */
export interface PlacementStart {
  readonly agent: AgentName;
  readonly from: { readonly agent: AgentName; readonly sessionId: string };
  readonly cwd: string;
  /** Milliseconds since 1970. */
  readonly sinceMs: number;
}

export interface FoundPlacing {
  readonly agent: AgentName;
  readonly sessionId: string;
  readonly location: string;
}

/** `null` if the process did not place the session. */
export async function placedSince(
  { agent, from, cwd, sinceMs }: PlacementStart,
  { places, signal }: { readonly places: Places; readonly signal?: AbortSignal | undefined },
): Promise<FoundPlacing | null> {
  const rows = await listNativeSessions({ agents: [agent], places, cwd, ...present({ signal }) });
  for (const { sessionId, location } of rows) {
    const file = statFile(location.replace(/#[^#/]*$/u, ""));
    if (file === null || !mayBeWrittenSince(file, sinceMs)) continue;
    const origin = await originOfHandOff({ agent, sessionId }, places, signal);
    if (origin?.agent === from.agent && origin.sessionId === from.sessionId)
      return { agent, sessionId, location };
  }
  return null;
}
