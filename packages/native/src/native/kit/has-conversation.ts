/**
 * Tells if a session has a conversation in it: agents begin sessions, and people name them, before anybody
 * speaks.
 */

import { type CallOptions, isFailure, present } from "@continuo/core/model";
import type { AgentReader, FoundSession, OpenedSession, Places } from "./port.ts";

/** Enough of the end of a session for the last words in it. */
const NEWEST_BYTES = 262_144;

export interface SpokenOptions extends CallOptions {
  readonly reader: AgentReader;
  readonly places: Places;
}

/**
 * Returns true if a person, a model or a tool said anything in it. A session that cannot be read cannot be
 * continued either: `false`.
 */
export async function isSpoken(
  found: FoundSession,
  { reader, places, signal }: SpokenOptions,
): Promise<boolean> {
  try {
    using part = await reader.open(found, places, present({ newestBytes: NEWEST_BYTES, signal }));
    if (await hasWords(part)) return true;
    if (!part.partial) return false;
    using whole = await reader.open(found, places, present({ signal }));
    return await hasWords(whole);
  } catch (error) {
    if (isFailure(error)) return false;
    throw error;
  }
}

/** Reads no further than to the first of them. */
async function hasWords(session: OpenedSession): Promise<boolean> {
  for await (const { origin } of session.history()) {
    if (origin !== "injected" && origin !== "notification") return true;
  }
  return false;
}
