/** The session that was used last: a session in which nobody said anything is none to return to. */

import { isAgentName } from "../model/index.ts";
import { formatOf, lookUpSession } from "../native/index.ts";
import { isSpoken } from "../native/kit/index.ts";
import { isListedOnlyByAgent } from "./agent-lists.ts";
import { type CatalogList, type ListQuery, type Looking, listCatalog } from "./list.ts";
import { isOwn, type ListedSession, type OwnRow } from "./rows.ts";
import { openOwn } from "./store.ts";

export interface LastSession extends Pick<CatalogList, "error" | "failures"> {
  /** `null` where there is none. */
  readonly row: ListedSession | null;
}

/** How many more rows are listed where all of those before were empty. */
const GROWTH = 8;

/** Only as many sessions are read as there are empty ones that are newer. Errors: those of the list. */
export async function lastSession(
  wanted: Omit<ListQuery, "limit" | "empty">,
  looking: Looking,
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

async function isSpokenIn(row: ListedSession, looking: Looking): Promise<boolean> {
  if (isOwn(row)) return await isSpokenInOwn(row, looking);
  const { agent, sessionId, location, cwd } = row;
  // What an agent lists is believed.
  if (!isAgentName(agent)) return true;
  const { places } = looking;
  const { found } = await lookUpSession({ agent, sessionId, location, cwd }, { places });
  return await isSpoken(found, { reader: await formatOf(agent), places });
}

/** What only its agent can tell may have been said there. */
async function isSpokenInOwn(row: OwnRow, { places, store: given }: Looking): Promise<boolean> {
  if (row.nativeRefs.some(({ agent }) => isListedOnlyByAgent(agent))) return true;
  const own = given ?? (await openOwn(places));
  await using _opened = given === undefined ? own : null;
  const types = ["message_sent", "message_received"] as const;
  const { events } = (await own?.store.read(row.sessionId, { types: [...types], limit: 1 })) ?? {
    events: [],
  };
  return events.length > 0;
}
