/** Reads each session once, the newest first, within limits. */

import { isContinuoError, present } from "@continuo/core/model";
import type { PlacesAt } from "@continuo/files";
import { type CatalogSession, lookUp, openCatalogSession } from "../../catalog/index.ts";
import type { SearchResult } from "../query/index.ts";
import { ORIGIN_LIMITS } from "./limits.ts";

export type ReadSession = SearchResult["session"];

export interface SessionReader {
  /** Reads those that were not read yet. */
  add(sessions: readonly ReadSession[]): Promise<void>;
  /** `left`: sessions that are too many or too large to be read. */
  counts(): { readonly sessions: number; readonly left: number; readonly unreadable: number };
}

export interface SessionReaderOptions {
  readonly places: PlacesAt;
  readonly signal?: AbortSignal;
  /** Returns true if no more may be kept in memory. */
  readonly isFull?: () => boolean;
  readonly maxSessions?: number;
}

export function createSessionReader(
  read: (opened: CatalogSession, session: ReadSession) => Promise<void>,
  { places, signal, isFull, maxSessions = ORIGIN_LIMITS.sessions }: SessionReaderOptions,
): SessionReader {
  const met = new Set<string>();
  let [sessions, left, unreadable, bytes] = [0, 0, 0, 0];
  return {
    async add(found) {
      const fresh = found.filter(({ location }) => !met.has(location));
      for (const session of fresh.toSorted(newestFirst)) {
        signal?.throwIfAborted();
        met.add(session.location);
        const size = session.sizeBytes ?? 0;
        if (sessions >= maxSessions || isFull?.() === true || bytes + size > ORIGIN_LIMITS.bytes) {
          left += 1;
          continue;
        }
        try {
          const located = await lookUp(session.location, { places, examples: "without examples" });
          using opened = await openCatalogSession(located, places, present({ signal }));
          await read(opened, session);
          [sessions, bytes] = [sessions + 1, bytes + size];
        } catch (error) {
          if (signal?.aborted === true || !isContinuoError(error)) throw error;
          unreadable += 1;
        }
      }
    },
    counts: () => ({ sessions, left, unreadable }),
  };
}

function newestFirst(a: ReadSession, b: ReadSession): number {
  return compareText(b.updatedAt ?? "", a.updatedAt ?? "");
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
