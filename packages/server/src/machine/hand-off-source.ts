/** The session from which a session was handed over, if the list has it. */

import { isOwn, type ListedSession } from "@continuo/agents/catalog";
import { originOfHandOff } from "@continuo/agents/handoff";
import { keyOf } from "@continuo/agents/pages";
import { isAgentName, isFailure } from "@continuo/core/model";
import { placesOf } from "@continuo/files";
import type { Machine } from "./machine-parts.ts";

/** Returns the key of the source; `null` for a session that was not handed over, or if the list lacks the source. */
export async function sourceKeyOf(
  { options, source }: Pick<Machine, "options" | "source">,
  row: ListedSession,
  signal: AbortSignal,
): Promise<string | null> {
  if (isOwn(row) || !isAgentName(row.agent)) return null;
  const { agent, sessionId } = row;
  try {
    const from = await originOfHandOff({ agent, sessionId }, placesOf(options.places), signal);
    if (from === null) return null;
    const key = keyOf(from);
    return (await source.same()).byKey.has(key) ? key : null;
  } catch (error) {
    // A store that cannot be read is ignored, because the session itself can be read.
    if (isFailure(error)) return null;
    throw error;
  }
}
