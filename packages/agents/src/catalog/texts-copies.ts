/** The texts of sessions that their agents deleted and the guard keeps. */

import { type SessionInfo, toSessionRow } from "@continuo/core/model";
import type { Places } from "@continuo/files";
import { lookUpSession } from "@continuo/native";
import { findCopy, onlyCopies, openCopy, readLedger } from "@continuo/native/editing/guard";
import { asOneStep, type OpenText } from "@continuo/native/index-file";
import { everyMessage } from "./every-message.ts";
import type { CatalogSource, StoredIndexedSession } from "./indexed-session.ts";

export interface CopySourceOptions {
  readonly places: Places;
  /** The ids of all native sessions that exist. */
  readonly metIds: ReadonlySet<string>;
  /** True if the folder or file is excluded. */
  readonly isExcluded: (path: string) => boolean;
  readonly rules: string;
}

export function copySources({ places, metIds, isExcluded, rules }: CopySourceOptions): CatalogSource[] {
  const ledger = readLedger(places);
  return onlyCopies({ places, metIds })
    .filter(({ location, cwd }) => !isExcluded(location) && (cwd === null || !isExcluded(cwd)))
    .map((info) => ({
      key: `guard:${info.agent}:${info.sessionId}`,
      sessionId: info.sessionId,
      // A copy with this stamp never changes.
      stamp: `${ledger.get(`${info.agent}:${info.sessionId}`)?.storedAt}${rules}`,
      sizeBytes: info.sizeBytes,
      changedMs: info.updatedAt === null ? 0 : Date.parse(info.updatedAt),
      open: async (signal) => await openText(info, places, signal),
    }));
}

async function openText(
  info: SessionInfo,
  places: Places,
  signal: AbortSignal | undefined,
): Promise<OpenText> {
  const opened = await openCopy(findCopy(`${info.agent}:${info.sessionId}`, places), places);
  const { reader, found } = await lookUpSession(opened.location, { places: opened.places });
  const session = await reader.open(found, opened.places, {});
  const stored: StoredIndexedSession = {
    ...toSessionRow(info),
    live: null,
    location: info.location,
    parentId: null,
    trashId: null,
    nativeRefs: [],
    inside: [],
  };
  return {
    source: JSON.stringify(stored),
    steps: asOneStep(everyMessage(session, signal === undefined ? {} : { signal })),
    beside: {},
    [Symbol.dispose]: () => session.close(),
  };
}
