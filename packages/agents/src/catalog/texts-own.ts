/**
 * The texts of Continuo's own sessions in the store and workspace that this user's commands use, also of those in the
 * trash.
 */

import { isFailure, type Log, listAll, type Store, toSessionRow } from "@continuo/core/model";
import { databaseFiles, type FoundFile, type PlacesAt } from "@continuo/files";
import { asOneStep, type OpenText } from "@continuo/native/index-file";
import type { SavedSkimMemo } from "@continuo/native/kit";
import type { CatalogSource, StoredIndexedSession } from "./indexed-session.ts";
import { CATALOG_LIMITS } from "./limits.ts";
import { readTranscript, toCatalogSession } from "./open-session.ts";
import { type OwnRow, toTrashedOwn } from "./rows.ts";
import { existingStoreUrl, isTrashed, type OpenOwn, openOwn, readOwnRows, withoutPassword } from "./store.ts";

export interface OwnSources extends AsyncDisposable {
  readonly sources: readonly CatalogSource[];
  /** Set if the store cannot be read, so that its sessions are missing. */
  readonly failure: { readonly location: string; readonly message: string } | null;
}

interface OwnState {
  readonly row: OwnRow;
  /** A mark of its log, which changes with every event. */
  readonly head: string;
}

export interface OwnSourceOptions {
  readonly places: PlacesAt;
  /** The path is that of a folder or a file. */
  readonly isExcluded: (path: string) => boolean;
  readonly rules: string;
  readonly memo: SavedSkimMemo;
}

/**
 * A store in a file is opened only if it changed since the last time, or if a text is read; a database server is always
 * asked.
 */
export async function ownSources(options: OwnSourceOptions): Promise<OwnSources> {
  const { places, memo, isExcluded, rules } = options;
  let opened: Promise<OpenOwn | null> | null = null;
  const own = async (): Promise<OpenOwn> => {
    opened ??= openOwn(places);
    const store = await opened;
    if (store === null) throw new Error("the store was there a moment ago");
    return store;
  };
  const close = async (): Promise<void> => {
    await (await opened?.catch(() => null))?.[Symbol.asyncDispose]();
  };
  const url = existingStoreUrl(places);
  if (url === null) return { sources: [], failure: null, [Symbol.asyncDispose]: close };
  const files = filesOf(url);
  const read = async (): Promise<readonly OwnState[]> => await statesOf(await own());
  try {
    const states =
      files.length === 0 ? await read() : await memo.remember(files, { what: "own texts and trash" }, read);
    const sources = states
      .filter(({ row }) => !isExcluded(row.location) && (row.cwd === null || !isExcluded(row.cwd)))
      .map((state) => toSource(state, rules, own));
    return { sources, failure: null, [Symbol.asyncDispose]: close };
  } catch (error) {
    if (!isFailure(error)) throw error;
    return {
      sources: [],
      failure: { location: withoutPassword(url), message: error.message },
      [Symbol.asyncDispose]: close,
    };
  }
}

/** The files of the store of Continuo's own sessions; none without a store in a file. */
export function ownFiles(places: PlacesAt): readonly FoundFile[] {
  const url = existingStoreUrl(places);
  return url === null ? [] : filesOf(url);
}

/** The files of the database and its write-ahead log; none for a database server. */
function filesOf(url: string): readonly FoundFile[] {
  const path = /^sqlite:(.+)$/su.exec(url)?.[1];
  return path === undefined ? [] : databaseFiles(path);
}

async function statesOf(own: OpenOwn): Promise<readonly OwnState[]> {
  const heads = await headsOf(own.store);
  return (await readOwnRows(own)).map((row) => ({ row, head: heads.get(row.sessionId) ?? "" }));
}

async function headsOf(store: Store): Promise<ReadonlyMap<string, string>> {
  const heads = new Map<string, string>();
  const logs = listAll((place) => store.listLogs({ limit: CATALOG_LIMITS.pageSessions, ...place }));
  for await (const log of logs) heads.set(log.logId, headOf(log));
  return heads;
}

function headOf({ latestSequence, chainHash }: Log): string {
  return `${latestSequence} ${chainHash}`;
}

function toSource({ row, head }: OwnState, rules: string, own: () => Promise<OpenOwn>): CatalogSource {
  const { location, title, cwd, nativeRefs, updatedAt, trashedAt } = row;
  const facts = [title, cwd, nativeRefs, ...(trashedAt === undefined ? [] : [trashedAt])];
  return {
    key: location,
    sessionId: row.sessionId,
    stamp: `${head} ${JSON.stringify(facts)}${rules}`,
    sizeBytes: 0,
    changedMs: updatedAt === null ? 0 : Date.parse(updatedAt),
    open: async () => await openText(row, await own()),
  };
}

async function openText(row: OwnRow, own: OpenOwn): Promise<OpenText> {
  const shown = toCatalogSession(row, await readTranscript(own, row.sessionId), null);
  const kept: StoredIndexedSession = {
    ...toSessionRow(shown.details),
    live: null,
    location: shown.details.location,
    parentId: null,
    trashId: isTrashed(row) ? toTrashedOwn(row).trashId : null,
    inside: [],
    nativeRefs: row.nativeRefs.map((ref) => ({ agent: ref.agent, sessionId: ref.sessionId })),
  };
  return {
    source: JSON.stringify(kept),
    steps: asOneStep(shown.history()),
    beside: {},
    // There is nothing to close, because the transcript is in memory.
    [Symbol.dispose]: () => undefined,
  };
}
