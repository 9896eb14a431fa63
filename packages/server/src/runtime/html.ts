/** A session as the viewer's page. */

import { shippedPrices, toCatalogSession, toOwnRow } from "@continuo/agents/catalog";
import { keepHistory, keyOf, pageOf, readPageTemplate, toMachineSession } from "@continuo/agents/pages";
import { ContinuoError, type LogReader, type Store } from "@continuo/core/model";
import { TranscriptBuilder } from "@continuo/core/transcript";
import { ownMetadata } from "./readers.ts";

/**
 * Errors: `not_found` for a session that does not exist, and if the viewer is not built; `too_large`.
 *
 * @param log the events of the page
 */
export async function sessionToHtml(
  store: Store,
  sessionId: string,
  log: Pick<LogReader, "read" | "latestSequence">,
): Promise<string> {
  const session = await store.getSession(sessionId);
  if (session === null)
    throw new ContinuoError("not_found", `there is no session ${JSON.stringify(sessionId)}`);
  const transcript = await TranscriptBuilder.fromStore(log, sessionId);
  // Readers of a page must not see where the store and the agents keep their files.
  const row = toOwnRow({ ...session, cwd: null, metadata: ownMetadata(session.metadata) }, "");
  const { details, leaves, problems } = toCatalogSession(row, transcript, session.parentId);
  const prices = { own: {}, list: shippedPrices() };
  using kept = await keepHistory(transcript.messages, prices);
  const key = keyOf(row);
  const names = { key, shown: toMachineSession(key, row), location: row.location, parentKey: null };
  const shown = { ...names, details, leaves, problems, kept, branches: [], seenFrom: null };
  const pieces = pageOf({
    template: readPageTemplate(),
    sessions: [shown],
    notes: [],
    savedAt: new Date().toISOString(),
    prices,
  });
  return [...pieces].join("");
}
