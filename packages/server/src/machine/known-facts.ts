/**
 * Keeps the head and the outline of long sessions in the index. The next server reads them there before the session.
 */

import { type ListedSession, locateRow } from "@continuo/agents/catalog";
import { HISTORY_LIMITS } from "@continuo/agents/pages";
import { isFailure } from "@continuo/core/model";
import type { KnownSession } from "@continuo/core/wire/machine";
import { type FoundFile, type PlacesAt, placesOf } from "@continuo/files";
import { indexPathOf, isSettled, openRows, stampOf } from "@continuo/native/index-file";

export type SessionFacts = Pick<KnownSession, "head" | "outline">;

export interface KnownFacts {
  /** The facts of the session in its present form; each of them is `null` if it is not known. */
  of(row: ListedSession): Promise<SessionFacts>;
  /** Keeps facts that were read a moment ago. If this fails, the facts are lost and read again later. */
  keep(row: ListedSession, facts: Partial<SessionFacts>): void;
  /** Ends when everything is kept. */
  settled(): Promise<void>;
}

const NOTHING: SessionFacts = { head: null, outline: null };
const FACTS = ["head", "outline"] as const;

export function createKnownFacts(places: PlacesAt): KnownFacts {
  /** The stamps of the sessions whose facts are in the index. */
  const kept = new Map<string, string>();
  let work: Promise<unknown> = Promise.resolve();
  return {
    async of(row) {
      const files = await filesOf(row, places);
      if (files === null) return NOTHING;
      const memo = openRows(indexPathOf(placesOf(places)), Date.now(), "usage");
      await memo.expect(files);
      const known = async <F extends keyof SessionFacts>(fact: F): Promise<SessionFacts[F]> =>
        (await memo.remember<SessionFacts[F] | undefined>(files, { what: nameOf(row, fact) }, unknown)) ??
        null;
      return { head: await known("head"), outline: await known("outline") };
    },
    keep(row, facts) {
      if ((row.sizeBytes ?? 0) < HISTORY_LIMITS.smallBytes) return;
      const add = async (): Promise<void> => {
        const files = await filesOf(row, places);
        // For a moment after a write, a file may change without a sign of it, so nothing is stored about it.
        if (files === null || !isSettled(files, Date.now())) return;
        const fresh = FACTS.filter((fact) => facts[fact] && kept.get(nameOf(row, fact)) !== stampOf(files));
        if (fresh.length === 0) return;
        const memo = openRows(indexPathOf(placesOf(places)), Date.now(), "usage");
        await memo.expect(files);
        for (const fact of fresh) {
          await memo.remember(files, { what: nameOf(row, fact) }, async () => facts[fact]);
          kept.set(nameOf(row, fact), stampOf(files));
        }
        await memo.save("part");
      };
      // Runs one after the other, because each writes to the same file.
      work = work.then(add).catch(() => undefined);
    },
    settled: async () => void (await work),
  };
}

async function unknown(): Promise<undefined> {
  return undefined;
}

/** The name contains the id, because a database holds several sessions. */
function nameOf({ sessionId }: ListedSession, fact: keyof SessionFacts): string {
  return `${fact} ${sessionId}`;
}

/** `null` for a session without files, and for one that is gone. */
async function filesOf(row: ListedSession, places: PlacesAt): Promise<readonly FoundFile[] | null> {
  try {
    const hit = await locateRow(row, places);
    return hit.kind === "own" || hit.native.found.files.length === 0 ? null : hit.native.found.files;
  } catch (error) {
    if (isFailure(error)) return null;
    throw error;
  }
}
