/**
 * The texts of all sessions, as the index takes them in: native ones with their sub-agents, Continuo's own, and what is
 * in the trash. Which are there, what is new, and what a search may answer from.
 */

import { setImmediate as otherWork } from "node:timers/promises";
import { messageOf, present } from "@continuo/core/model";
import { type Places, type PlacesAt, placesOf } from "@continuo/files";
import { settleBeforeReading } from "@continuo/native/editing";
import {
  type FillResult,
  fillText,
  indexPathOf,
  openRows,
  removeText,
  type StoredSession,
  storedSessions,
} from "@continuo/native/index-file";
import type { SavedSkimMemo } from "@continuo/native/kit";
import { areDependenciesUnchanged, stampOfFile } from "./dependencies.ts";
import { excludes } from "./exclude-patterns.ts";
import { type CatalogSource, type IndexedSession, parseStored, toIndexed } from "./indexed-session.ts";
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
  readonly batchChars?: number;
  readonly onProgress?: (progress: TextsProgress) => void;
  /** Called for each native session that is found, with their number so far. */
  readonly onFound?: (sessions: number) => void;
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
  const end = performance.now() + (options.timeMs ?? Number.POSITIVE_INFINITY);
  await using all = await openTexts(options);
  await all.fill(() => performance.now() < end);
  return all.texts();
}

/** The texts of all sessions, as they were when this was opened. */
export interface OpenTexts extends AsyncDisposable {
  texts(): Texts;
  /** Sessions whose text is not there as they are now, and that can be read as far as is known; the newest first. */
  missing(): readonly CatalogSource[];
  /** Every session that can be read as far as is known, without the sub-agents in the files of others; the newest first. */
  all(): readonly CatalogSource[];
  /** Sessions by their keys. */
  sources(keys: ReadonlySet<string>): readonly CatalogSource[];
  /** Brings the text up to date, and removes that of sessions that are gone. `goOn` is asked before each session. */
  fill(goOn: () => boolean): Promise<void>;
}

/** Looks at what is there; nothing is read but what the list needs. */
export async function openTexts(options: TextsOptions): Promise<OpenTexts> {
  const path = indexPathOf(options.places);
  await settleBeforeReading(present({ places: placesOf(options.places), signal: options.signal }));
  const memo = openRows(path, options.nowMs ?? Date.now());
  const all = await allSources(options, memo);
  // A caller with threads starts them first.
  const saved = otherWork().then(() => memo.save("part"));
  // A failure is thrown when this is closed.
  saved.catch(() => undefined);
  const [filled, failures] = [new Set<string>(), new Map<string, unknown>()];
  let stored = await readStored(path);
  // Sub-agents inside of the files of others are known when these are read.
  const sourcesNow = (): readonly CatalogSource[] => [
    ...all.sources,
    ...all.sources.flatMap((source) => insideOf(source, stored, filled)),
  ];
  const isThere = (source: CatalogSource): boolean => {
    const session = stored.get(source.key);
    return session !== undefined && isReady(session, source, filled);
  };
  const missing = (): readonly CatalogSource[] =>
    sourcesNow().filter((source) => !isThere(source) && !failures.has(source.key));
  return {
    missing,
    all: () => all.sources.filter(({ key }) => !failures.has(key)),
    sources: (keys) => sourcesNow().filter(({ key }) => keys.has(key)),
    async fill(goOn) {
      for (
        let sources = missing(), isFirst = true;
        sources.length > 0 && (isFirst || goOn());
        isFirst = false
      ) {
        const before = sources.length;
        const done = await fillStale(path, options, { sources, goOn });
        for (const key of done.filled) filled.add(key);
        for (const [key, error] of done.failures) failures.set(key, error);
        stored = await readStored(path);
        sources = missing();
        if (done.left > 0 || sources.length >= before) break;
      }
      const keys = new Set(sourcesNow().map(({ key }) => key));
      const gone = [...stored.keys()].filter((key) => !keys.has(key));
      await removeText(path, gone);
      if (gone.length > 0) stored = await readStored(path);
    },
    texts() {
      const ready = sourcesNow().flatMap((source) => (isThere(source) ? (stored.get(source.key) ?? []) : []));
      return {
        ready: new Map(ready.map(({ id, stamp, source }) => [id, { ...toIndexed(source), stamp }])),
        // Also what another process is at work on.
        left: missing().length,
        unreadable: [
          ...[...failures].map(([location, error]) => ({ location, message: messageOf(error) })),
          ...all.failures,
        ],
        cut: ready.filter(({ cutChars }) => cutChars > 0).length,
      };
    },
    async [Symbol.asyncDispose]() {
      await saved;
      await all[Symbol.asyncDispose]();
    },
  };
}

async function fillStale(
  path: string,
  { signal, batchChars, onProgress }: TextsOptions,
  { sources, goOn }: { readonly sources: readonly CatalogSource[]; readonly goOn: () => boolean },
): Promise<FillResult> {
  const ofBytes = sources.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return await fillText(path, {
    sources,
    ...present({ signal, batchChars }),
    goOn,
    onProgress: (progress) => onProgress?.({ ...progress, ofSessions: sources.length, ofBytes }),
  });
}

/** Counts the indexed texts without changing anything. */
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
    ready: sources.filter((source) => {
      const session = stored.get(source.key);
      return session !== undefined && isReady(session, source, none);
    }).length,
    // The sessions of one file share its size.
    sizeBytes: Math.round(sources.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)),
  };
}

interface AllSources extends AsyncDisposable {
  /** The one that changed last first. */
  readonly sources: readonly CatalogSource[];
  readonly failures: Texts["unreadable"];
}

async function allSources(
  { places, exclude = [], signal, nowMs = Date.now(), onFound }: TextsOptions,
  memo: SavedSkimMemo,
): Promise<AllSources> {
  const shared = {
    nowMs,
    isExcluded: excludes(exclude, places.home),
    rules: exclude.length === 0 ? "" : `\n${JSON.stringify(exclude)}`,
    memo,
  };
  const at: PlacesAt = { cwd: process.cwd(), ...places };
  const native = await nativeSources({ ...shared, places, signal, ...present({ onFound }) });
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

function isReady(
  session: StoredSession,
  source: CatalogSource | undefined,
  filled: ReadonlySet<string>,
): boolean {
  if (source === undefined || !session.isComplete) return false;
  // A session that changed a moment ago was read just now, and counts for this call.
  if (source.stamp === null) return filled.has(session.key);
  return session.stamp === source.stamp && (filled.has(session.key) || isBesideFresh(session, source));
}

function insideOf(
  source: CatalogSource,
  stored: Stored,
  filled: ReadonlySet<string>,
): readonly CatalogSource[] {
  const session = stored.get(source.key);
  if (session === undefined || !hasInside(session.source) || !isReady(session, source, filled)) return [];
  return source.insideOf?.(parseStored(session.source)) ?? [];
}

/** Hardly any session has sub-agents in its own file: the JSON of the others need not be parsed to know it. */
function hasInside(source: string): boolean {
  return !source.includes('"inside":[]');
}

function isBesideFresh({ beside }: StoredSession, { besideNow = stampOfFile }: CatalogSource): boolean {
  return areDependenciesUnchanged(beside, besideNow);
}
