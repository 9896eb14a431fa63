/** Stores the tokens and facts of rows in the index: reads them, and adds them after a full read of a session. */

import type { RowFacts } from "@continuo/core/wire/machine";
import type { Places } from "@continuo/files";
import { openNativeSession } from "@continuo/native";
import { indexPathOf, openRows } from "@continuo/native/index-file";
import type { FoundSession } from "@continuo/native/kit";
import { type RowKnowledge, rowKnowledgeOf } from "./row-facts.ts";
import { usageKey } from "./stats.ts";

export interface RowIndex {
  /** Reads the entries of all these sessions in one query. */
  expect(found: readonly FoundSession[]): Promise<void>;
  /** The stored facts; `null` if the index lacks the session in its present state. */
  known(found: FoundSession): Promise<RowKnowledge | null>;
  /** Reads the whole session, and stores its facts in the index. Errors: those of opening the session. */
  read(found: FoundSession): Promise<RowKnowledge>;
  save(): Promise<void>;
}

export function openRowIndex(places: Places): RowIndex {
  const memo = openRows(indexPathOf(places), Date.now(), "usage");
  const nothing = async (): Promise<undefined> => undefined;
  return {
    expect: async (found) => await memo.expect(found.flatMap(({ files }) => files.slice(0, 1))),
    async known(found) {
      const { files } = found;
      if (files.length === 0) return null;
      const usage = await memo.remember<Omit<RowKnowledge, "facts"> | undefined>(
        files,
        usageKey(found),
        nothing,
      );
      const facts = await memo.remember<RowFacts | undefined>(files, factsKey(found), nothing);
      return usage === undefined || facts === undefined ? null : { buckets: usage.buckets, facts };
    },
    async read(found) {
      using session = await openNativeSession(found, { places });
      const { buckets, facts } = await rowKnowledgeOf(session);
      const usage = { cwd: session.details.cwd, buckets };
      if (found.files.length > 0) {
        await memo.remember(found.files, usageKey(found), async () => usage);
        await memo.remember(found.files, factsKey(found), async () => facts);
      }
      return { buckets, facts };
    },
    save: () => memo.save("part"),
  };
}

/** The key contains the session's id, because a database file has several sessions. */
function factsKey({ sessionId }: FoundSession): { readonly what: string } {
  return { what: `row ${sessionId}` };
}
