/** Tokens and facts of the rows of a list, in the index: read from it, and added to it after a full read. */

import type { RowFacts } from "@continuo/core/wire/machine";
import type { Places } from "@continuo/files";
import { openNativeSession } from "@continuo/native";
import { indexPathOf, openRows } from "@continuo/native/index-file";
import type { FoundSession } from "@continuo/native/kit";
import { type RowKnowledge, rowKnowledgeOf } from "./row-facts.ts";
import { usageKey } from "./stats.ts";

export interface RowIndex {
  /** Reads what the index has of these at once. */
  expect(found: readonly FoundSession[]): Promise<void>;
  /** `null` if the index does not have it in its present form. */
  known(found: FoundSession): Promise<RowKnowledge | null>;
  /** A full read, unless the index has it. Errors: those of opening the session. */
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

/** A database holds several sessions: the id is part of the question. */
function factsKey({ sessionId }: FoundSession): { readonly what: string } {
  return { what: `row ${sessionId}` };
}
