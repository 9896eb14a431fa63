/** The session that was used last, without those in which nobody said anything. */

import { isAgentName, isFailure, type ReadableRef } from "@continuo/core/model";
import { lookUpSession } from "@continuo/native";
import { isSpoken } from "@continuo/native/kit";
import { type CatalogList, type CatalogSources, type ListQuery, listCatalog } from "./list.ts";
import { isOwn, type ListedSession, type OwnRow } from "./rows.ts";
import { openOwn } from "./store.ts";

export interface LastSession extends Pick<CatalogList, "error" | "failures"> {
  /** `null` if there is none. */
  readonly row: ListedSession | null;
}

/** The factor by which the number of listed rows grows while all rows so far were empty. */
const GROWTH = 8;

/** Reads the newest sessions, one by one, until one has a message. Errors: those of the list. */
export async function lastSession(
  wanted: Omit<ListQuery, "limit" | "empty">,
  looking: CatalogSources,
): Promise<LastSession> {
  const known = new Set<string>();
  for (let limit = 1; ; limit *= GROWTH) {
    const { sessions, error, failures } = await listCatalog({ ...wanted, limit, empty: "exclude" }, looking);
    for (const row of sessions) {
      const key = `${row.agent}:${row.sessionId}`;
      if (!known.has(key) && (await isSpokenIn(row, looking))) return { row, error, failures };
      known.add(key);
    }
    if (sessions.length < limit) return { row: null, error, failures };
  }
}

async function isSpokenIn(row: ListedSession, looking: CatalogSources): Promise<boolean> {
  const { agent, sessionId, location, cwd } = row;
  if (isOwn(row)) return (await hasMessages(row, looking)) || (await isSpokenElsewhere(row, looking));
  // A session that only its agent can read counts as having messages.
  return !isAgentName(agent) || (await isSpokenAt({ agent, sessionId, location, cwd }, looking));
}

async function hasMessages(
  { sessionId }: OwnRow,
  { places, store: given }: CatalogSources,
): Promise<boolean> {
  const own = given ?? (await openOwn(places));
  await using _opened = given === undefined ? own : null;
  const types = ["message_sent", "message_received"] as const;
  const read = await own?.store.read(sessionId, { types: [...types], limit: 1 });
  return read !== undefined && read.events.length > 0;
}

async function isSpokenElsewhere({ nativeRefs }: OwnRow, looking: CatalogSources): Promise<boolean> {
  for (const { agent, sessionId } of nativeRefs) {
    if (!isAgentName(agent) || (await isSpokenAt(`${agent}:${sessionId}`, looking))) return true;
  }
  return false;
}

/** `false` also if there is no such session. */
async function isSpokenAt(name: string | ReadableRef, { places }: CatalogSources): Promise<boolean> {
  try {
    const { found, reader } = await lookUpSession(name, { places });
    return await isSpoken(found, { reader, places });
  } catch (error) {
    if (isFailure(error)) return false;
    throw error;
  }
}
