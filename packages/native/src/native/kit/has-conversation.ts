/**
 * Finds out whether a session has a conversation. It may have none, because agents begin sessions, and people name
 * them, before the first message.
 */

import { type CallOptions, isFailure, present } from "@continuo/core/model";
import type { AgentReader, FoundSession, OpenedSession, Places } from "./port.ts";

/** The number of bytes at the end of a session that contain its last messages. */
const NEWEST_BYTES = 262_144;

export interface SpokenOptions extends CallOptions {
  readonly reader: AgentReader;
  readonly places: Places;
}

/**
 * Returns true if the session has a message of a person, a model or a tool. Returns false for a session that cannot be
 * read, because it cannot be continued either.
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

/** Returns true if the session has a message of a person, a model or a tool; reads only up to the first one. */
async function hasWords(session: OpenedSession): Promise<boolean> {
  for await (const { origin } of session.history()) {
    if (origin !== "injected" && origin !== "notification") return true;
  }
  return false;
}
