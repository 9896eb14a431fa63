/**
 * The texts of all sessions, as the index takes them in: native ones with their sub-agents, Continuo's own, and what is
 * in the trash. Which are there, what is new, and what a search may answer from.
 */

import { settleBeforeReading } from "../editing/index.ts";
import { type Places, type PlacesAt, placesOf } from "../files/index.ts";
import {
  fillText,
  indexPathOf,
  openRows,
  removeText,
  type StoredSession,
  storedSessions,
} from "../index-file/index.ts";
import { messageOf, present } from "../model/index.ts";
import type { SavedSkimMemo } from "../native/kit/index.ts";
import { isBesideSame, stampNow } from "./beside.ts";
import { excludes } from "./exclude.ts";
import { type CatalogSource, type IndexedSession, parseKept } from "./indexed.ts";
import { nativeSources } from "./texts-native.ts";
import { ownSources } from "./texts-own.ts";
import { trashSources } from "./texts-trash.ts";

export interface TextsOptions {
  /** A store with a relative path is looked for in `cwd`; in the current folder when left out. */
  readonly places: Places & Partial<Pick<PlacesAt, "cwd">>;
  /** Patterns of sessions that are kept out of the index, as `excludes` takes them. */
  readonly exclude?: readonly string[];
  /** Milliseconds after which no further session is begun; no limit when left out. */
  readonly timeMs?: number;
  readonly signal?: AbortSignal;
  /** Milliseconds since 1970; now when left out. */
  readonly nowMs?: number;
  /** As `FillOptions`. */
  readonly batchChars?: number;
  readonly onProgress?: (progress: TextsProgress) => void;
}

export interface TextsProgress {
  readonly sessions: number;
  readonly ofSessions: number;
  readonly sizeBytes: number;
  readonly ofBytes: number;
}

export interface Texts {
  /** Sessions that a search may answer from, by their number in the index. */
  readonly ready: ReadonlyMap<number, IndexedSession & { readonly stamp: string }>;
  /** Sessions whose text is not there yet: the time was over, or another process is at work on them. */
  readonly left: number;
  /** Sessions that cannot be read. */
  readonly unreadable: readonly { readonly location: string; readonly message: string }[];
  /** Sessions in which a text is too long to be kept whole. */
  readonly cut: number;
}

/** Brings the text of all sessions up to date, as far as the time allows. */
export async function updateTexts(options: TextsOptions): Promise<Texts> {
  const path = indexPathOf(options.places);
  await settleBeforeReading(present({ places: placesOf(options.places), signal: options.signal }));
  const memo = openRows(path, options.nowMs ?? Date.now());
  await using all = await allSources(options, memo);
  await memo.save("part");
  const end = performance.now() + (options.timeMs ?? Number.POSITIVE_INFINITY);
  const fill = createFill(path, options, () => performance.now() < end);
  const stored = await fill.fill(all.sources, await readStored(path));
  // What lies inside of the files of others is known when these are read.
  const inside = all.sources.flatMap((source) => insideOf(source, stored, fill.filled));
  const sources = new Map([...all.sources, ...inside].map((source) => [source.key, source]));
  const now = [...(await fill.fill(inside, stored)).values()];
  await removeText(
    path,
    now.map(({ key }) => key).filter((key) => !sources.has(key)),
  );
  const ready = now.filter((one) => isReady(one, sources.get(one.key), fill.filled));
  return {
    ready: new Map(ready.map(({ id, stamp, source }) => [id, { ...toIndexed(source), stamp }])),
    // Also what another process is at work on.
    left: Math.max(0, sources.size - ready.length - fill.failures.size),
    unreadable: [
      ...[...fill.failures].map(([location, error]) => ({ location, message: messageOf(error) })),
      ...all.failures,
    ],
    cut: ready.filter(({ cutChars }) => cutChars > 0).length,
  };
}

/** How much of the text is there, without changing anything. */
export async function textsState(options: TextsOptions): Promise<{
  readonly sessions: number;
  readonly ready: number;
  readonly sizeBytes: number;
}> {
  const path = indexPathOf(options.places);
  await using all = await allSources(options, openRows(path, Date.now()));
  const stored = await readStored(path);
  const none = new Set<string>();
  const inside = all.sources.flatMap((source) => insideOf(source, stored, none));
  const sources = [...all.sources, ...inside];
  return {
    sessions: sources.length,
    ready: sources.filter((source) => isFresh(source, stored)).length,
    sizeBytes: sources.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
  };
}

interface AllSources extends AsyncDisposable {
  /** The one that changed last first. */
  readonly sources: readonly CatalogSource[];
  readonly failures: Texts["unreadable"];
}

async function allSources(
  { places, exclude = [], signal, nowMs = Date.now() }: TextsOptions,
  memo: SavedSkimMemo,
): Promise<AllSources> {
  const shared = {
    nowMs,
    isExcluded: excludes(exclude, places.home),
    rules: exclude.length === 0 ? "" : `\n${JSON.stringify(exclude)}`,
    memo,
  };
  const at: PlacesAt = { cwd: process.cwd(), ...places };
  const native = await nativeSources({ ...shared, places, signal });
  const own = await ownSources({ ...shared, places: at });
  const sources = [...native, ...own.sources, ...trashSources({ ...shared, places })];
  return {
    sources: sources.sort((a, b) => b.changedMs - a.changedMs || (a.key < b.key ? -1 : 1)),
    failures: own.failure === null ? [] : [own.failure],
    [Symbol.asyncDispose]: () => own[Symbol.asyncDispose](),
  };
}

type Stored = ReadonlyMap<string, StoredSession>;

async function readStored(path: string): Promise<Stored> {
  return new Map((await storedSessions(path)).map((session) => [session.key, session]));
}

interface Fill {
  readonly filled: ReadonlySet<string>;
  readonly failures: ReadonlyMap<string, unknown>;
  /**
   * Those that are not there as they are now.
   * @param stored what is there; returned as it is afterwards
   */
  fill(sources: readonly CatalogSource[], stored: Stored): Promise<Stored>;
}

function createFill(path: string, options: TextsOptions, goOn: () => boolean): Fill {
  const filled = new Set<string>();
  const failures = new Map<string, unknown>();
  return {
    filled,
    failures,
    async fill(sources, stored) {
      const stale = sources.filter((source) => !isFresh(source, stored));
      if (stale.length === 0) return stored;
      const ofBytes = stale.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
      const done = await fillText(path, {
        sources: stale,
        ...present({ signal: options.signal, batchChars: options.batchChars }),
        goOn,
        onProgress: (progress) => options.onProgress?.({ ...progress, ofSessions: stale.length, ofBytes }),
      });
      for (const key of done.filled) filled.add(key);
      for (const [key, error] of done.failures) failures.set(key, error);
      return await readStored(path);
    },
  };
}

function isFresh(source: CatalogSource, stored: Stored): boolean {
  const { key, stamp } = source;
  const known = stored.get(key);
  return known !== undefined && stamp !== null && known.stamp === stamp && isBesideFresh(known, source);
}

function isReady(
  session: StoredSession,
  source: CatalogSource | undefined,
  filled: ReadonlySet<string>,
): boolean {
  if (source === undefined || !session.isComplete) return false;
  // What changed a moment ago was read just now, and counts for this call.
  if (source.stamp === null) return filled.has(session.key);
  return session.stamp === source.stamp && (filled.has(session.key) || isBesideFresh(session, source));
}

function insideOf(
  source: CatalogSource,
  stored: Stored,
  filled: ReadonlySet<string>,
): readonly CatalogSource[] {
  const session = stored.get(source.key);
  if (session === undefined || !isReady(session, source, filled)) return [];
  return source.insideOf?.(parseKept(session.source)) ?? [];
}

function isBesideFresh({ beside }: StoredSession, { besideNow = stampNow }: CatalogSource): boolean {
  return isBesideSame(beside, besideNow);
}

function toIndexed(source: string): IndexedSession {
  const { inside: _, ...indexed } = parseKept(source);
  return indexed;
}
