/** A session as the viewer's page: loaded for the first page, because the page and the prices are slow to load. */

import { shippedPrices, toCatalogSession, toOwnRow } from "@continuo/agents/catalog";
import { keepHistory, keyOf, pageOf, readPageTemplate, toMachineSession } from "@continuo/agents/pages";
import { ContinuoError, type LogReader, type Store } from "@continuo/core/model";
import { maskSecrets, TranscriptBuilder } from "@continuo/core/transcript";
import { ownMetadata } from "./readers.ts";

/**
 * Errors: `not_found` for a session that does not exist, and if the viewer is not built; `too_large`.
 *
 * @param page the events of the page, and whether secrets of known forms are masked
 */
export async function sessionToHtml(
  store: Store,
  sessionId: string,
  page: {
    readonly log: Pick<LogReader, "read" | "latestSequence">;
    readonly maskSecrets: boolean;
  },
): Promise<string> {
  // A secret that was streamed in parts is whole only in a message.
  const mask = <T>(value: T): T => (page.maskSecrets ? maskSecrets(value).value : value);
  const session = await store.getSession(sessionId);
  if (session === null)
    throw new ContinuoError("not_found", `there is no session ${JSON.stringify(sessionId)}`);
  const folded = await TranscriptBuilder.fromStore(page.log, sessionId);
  const transcript = { ...folded, messages: mask(folded.messages) };
  // Readers of a page must not see where the store and the agents keep their files.
  const row = mask(toOwnRow({ ...session, cwd: null, metadata: ownMetadata(session.metadata) }, ""));
  const { details, leaves, problems } = toCatalogSession(row, transcript, session.parentId);
  const prices = { own: {}, list: shippedPrices() };
  using kept = await keepHistory(transcript.messages, prices);
  const key = keyOf(row);
  const names = { key, shown: toMachineSession(key, row), location: row.location, parentKey: null };
  const shown = { ...names, ...mask({ details, leaves, problems }), kept, branches: [], seenFrom: null };
  const pieces = pageOf({
    template: readPageTemplate(),
    sessions: [shown],
    notes: [],
    savedAt: new Date().toISOString(),
    prices,
  });
  return [...pieces].join("");
}
