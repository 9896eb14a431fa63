/**
 * Stores the tokens and facts of rows in the index after a full read of a session, and reads them. The figures of a row
 * are what the list or the index knows: no session is read for them, and what is not known is left out.
 */

import { type NativeRef, present } from "@continuo/core/model";
import { databaseFiles, type FoundFile, fileOfLocation, type Places, statFile } from "@continuo/files";
import { openNativeSession } from "@continuo/native";
import { indexPathOf, openRows } from "@continuo/native/index-file";
import type { FoundSession } from "@continuo/native/kit";
import { costOf, type Prices } from "./prices.ts";
import { type RowKnowledge, rowKnowledgeOf } from "./row-facts.ts";
import { forkOriginOf, isOwn, type ListedSession } from "./rows.ts";
import { usageKey } from "./stats.ts";

/**
 * The id of a session, and its files in their present state. The id is needed because a database file has several
 * sessions.
 */
type IndexedFiles = Pick<FoundSession, "sessionId" | "files">;

export interface RowIndex {
  /** Reads the entries of all these sessions in one query. */
  expect(found: readonly IndexedFiles[]): Promise<void>;
  /** The stored facts; `null` if the index lacks the session in its present state. */
  known(found: IndexedFiles): Promise<RowKnowledge | null>;
  /** The stored tokens, which `continuo stats` stores without the facts; `null` if the index lacks them. */
  knownBuckets(found: IndexedFiles): Promise<RowKnowledge["buckets"] | null>;
  /** Reads the whole session, and stores its facts in the index. Errors: those of opening the session. */
  read(found: FoundSession): Promise<RowKnowledge>;
  save(): Promise<void>;
}

export function openRowIndex(places: Places): RowIndex {
  const memo = openRows(indexPathOf(places), Date.now(), "usage");
  const nothing = async (): Promise<undefined> => undefined;
  const knownBuckets: RowIndex["knownBuckets"] = async (found) => {
    if (found.files.length === 0) return null;
    type Usage = Pick<RowKnowledge, "buckets"> | undefined;
    return (await memo.remember<Usage>(found.files, usageKey(found), nothing))?.buckets ?? null;
  };
  return {
    knownBuckets,
    expect: async (found) => await memo.expect(found.flatMap(({ files }) => files.slice(0, 1))),
    async known(found) {
      const buckets = await knownBuckets(found);
      if (buckets === null) return null;
      const rest = await memo.remember<SavedFacts | undefined>(found.files, factsKey(found), nothing);
      return rest === undefined ? null : { buckets, ...rest };
    },
    async read(found) {
      using session = await openNativeSession(found, { places });
      const { buckets, ...rest } = await rowKnowledgeOf(session);
      const usage = { cwd: session.details.cwd, buckets };
      if (found.files.length > 0) {
        await memo.remember(found.files, usageKey(found), async () => usage);
        await memo.remember(found.files, factsKey(found), async () => rest);
      }
      return { buckets, ...rest };
    },
    save: () => memo.save("part"),
  };
}

type SavedFacts = Omit<RowKnowledge, "buckets">;

/** The key contains the session's id, because a database file has several sessions. */
function factsKey({ sessionId }: IndexedFiles): { readonly what: string } {
  return { what: `row ${sessionId}` };
}

export interface RowFigures {
  /** The cost of all branches, as the agent reports it or else by list prices. */
  readonly costUsd?: number;
  /** Codes of problems, each once. An empty list says that the whole session was read and has no problems. */
  readonly problems?: readonly string[];
  readonly forkOrigin?: Pick<NativeRef, "agent" | "sessionId">;
}

/** @param rows the rows of a page; the index is asked about all of them in one query */
export async function readRowFigures(
  rows: readonly ListedSession[],
  { places, prices }: { readonly places: Places; readonly prices: Prices | null },
): Promise<readonly RowFigures[]> {
  const indexed = await readIndexedRows(rows, openRowIndex(places));
  return rows.map((row, at) => figuresOf(row, indexed[at] ?? null, prices));
}

/** The facts are left out if only `continuo stats` has read the session. */
export type IndexedRow = Pick<RowKnowledge, "buckets"> & Partial<RowKnowledge>;

/** Asks the index about each row, and reads no session; `null` for a session that it lacks in its present state. */
export async function readIndexedRows(
  rows: readonly ListedSession[],
  index: RowIndex,
): Promise<readonly (IndexedRow | null)[]> {
  const found = rows.map((row) => ({ sessionId: row.sessionId, files: filesOf(row) }));
  await index.expect(found);
  const indexed: (IndexedRow | null)[] = [];
  for (const one of found) {
    const buckets = await index.knownBuckets(one);
    indexed.push((await index.known(one)) ?? (buckets === null ? null : { buckets }));
  }
  return indexed;
}

function figuresOf(row: ListedSession, known: IndexedRow | null, prices: Prices | null): RowFigures {
  const costUsd = prices === null || known === null ? null : costOf(known.buckets, prices).usd;
  const codes = [...new Set([...row.problems.map(({ code }) => code), ...(known?.problems ?? [])])];
  const forkOrigin = forkOriginOf(withSource(row, known));
  return present({
    costUsd: costUsd ?? undefined,
    problems: codes.length > 0 || known?.problems !== undefined ? codes : undefined,
    forkOrigin: forkOrigin ?? undefined,
  });
}

/** The row with the source of its fork, which the index may have from a full read. */
export function withSource(row: ListedSession, known: IndexedRow | null): ListedSession {
  return { ...row, forkedFrom: row.forkedFrom ?? known?.forkedFrom ?? null };
}

/**
 * The file of a session, or its database with the log of changes that are not in it yet. If the session has further
 * files, the index has no entry for only this file, and the figures are unknown.
 */
function filesOf(row: ListedSession): readonly FoundFile[] {
  if (isOwn(row) || !row.location.startsWith("/")) return [];
  const path = fileOfLocation(row.location);
  if (path !== row.location) return databaseFiles(path);
  const file = statFile(path);
  return file === null ? [] : [file];
}
