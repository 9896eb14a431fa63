/**
 * The texts of all sessions for the index: native sessions with their sub-agents, Continuo's own sessions, sessions
 * that their agents deleted and the guard keeps, sessions that other machines mirror here, and sessions in the trash.
 * This file finds out which sessions exist, which ones the index lacks, and which ones a search can use.
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
import { type CatalogSource, parseStored, type ReadySession, toReady } from "./indexed-session.ts";
import { copySources } from "./texts-copies.ts";
import type { KnownText } from "./texts-known.ts";
import { mirrorSources } from "./texts-mirrors.ts";
import { nativeTexts } from "./texts-native.ts";
import { ownSources } from "./texts-own.ts";
import { trashSources } from "./texts-trash.ts";

export interface TextsOptions {
  /** A relative path of the store starts from `cwd`; the current folder by default. */
  readonly places: Places & Partial<Pick<PlacesAt, "cwd">>;
  /** Patterns of sessions that are kept out of the index, in the form of `excludes`. */
  readonly exclude?: readonly string[];
  /** The time after which no further session is read; no limit by default. */
  readonly timeMs?: number;
  readonly signal?: AbortSignal;
  /** Milliseconds since 1970; the present time by default. */
  readonly nowMs?: number;
  readonly batchChars?: number;
  readonly onProgress?: (progress: TextsProgress) => void;
  /** Called for each native session that is found, with the number of sessions so far. */
  readonly onFound?: (sessions: number) => void;
}

export interface TextsProgress {
  readonly sessions: number;
  readonly ofSessions: number;
  readonly sizeBytes: number;
  readonly ofBytes: number;
}

export interface Texts {
  /** Sessions whose indexed text a search can use, by their numbers in the index. */
  readonly ready: ReadonlyMap<number, ReadySession>;
  /**
   * Sessions that the index does not have yet, because there was no time left, or because another process reads them.
   */
  readonly left: number;
  /** Sessions that cannot be read. */
  readonly unreadable: readonly { readonly location: string; readonly message: string }[];
  /** The number of sessions with a text that is too long to be kept whole. */
  readonly cut: number;
}

/** Updates the indexed text of all sessions, as far as the time allows. */
export async function updateTexts(options: TextsOptions): Promise<Texts> {
  const end = performance.now() + (options.timeMs ?? Number.POSITIVE_INFINITY);
  await using all = await openTexts(options);
  await all.fill(() => performance.now() < end);
  return all.texts();
}

/** The texts of all sessions at the moment when this was opened. */
export interface OpenTexts extends AsyncDisposable {
  texts(): Texts;
  /** The ids of all sessions, including the known sub-agents inside other files. */
  sessionIds(): readonly string[];
  /** Sessions that the index lacks in their present state, newest first; those that could not be read are left out. */
  missing(): readonly CatalogSource[];
  /** All sessions, newest first, without those that could not be read, and without sub-agents inside other files. */
  all(): readonly CatalogSource[];
  /** Sessions by their keys. */
  sources(keys: ReadonlySet<string>): readonly CatalogSource[];
  /** Updates the indexed texts, and removes those of sessions that are gone. `goOn` is called before each session. */
  fill(goOn: () => boolean): Promise<void>;
}

/** Finds all sessions. Reads only the part that the list needs. */
export async function openTexts(options: TextsOptions): Promise<OpenTexts> {
  const path = indexPathOf(options.places);
  await settleBeforeReading(present({ places: placesOf(options.places), signal: options.signal }));
  const memo = openRows(path, options.nowMs ?? Date.now());
  const all = await allSources(options, memo);
  // The caller may start its threads first.
  const saved = otherWork().then(() => memo.save("part"));
  // Closing throws the error if saving failed.
  saved.catch(() => undefined);
  const [filled, failures] = [new Set<string>(), new Map<string, unknown>()];
  let stored = await readStored(path);
  let compared: IndexComparison | null = null;
  let readyNow: Texts["ready"] | null = null;
  // The sessions are compared once, and again after each fill, because there may be thousands.
  const now = (): IndexComparison => {
    compared ??= compare(all, { stored, filled, failures });
    return compared;
  };
  const readAgain = async (): Promise<void> => {
    stored = await readStored(path);
    compared = null;
    readyNow = null;
  };
  const missing = (): readonly CatalogSource[] => now().missing;
  return {
    missing,
    all: () => everySource(all).filter(({ key }) => !failures.has(key)),
    sources: (keys) => everyText(all, now()).flatMap((one) => (keys.has(one.key) ? sourceOf(one) : [])),
    sessionIds: () => everyText(all, now()).map(({ sessionId }) => sessionId),
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
        await readAgain();
        sources = missing();
        if (done.left > 0 || sources.length >= before) break;
      }
      const keys = new Set(everyText(all, now()).map(({ key }) => key));
      const gone = [...stored.keys()].filter((key) => !keys.has(key));
      await removeText(path, gone);
      if (gone.length > 0) await readAgain();
    },
    texts() {
      const { ready } = now();
      readyNow ??= new Map(ready.map((session) => [session.id, toReady(session)]));
      return {
        ready: readyNow,
        // Sessions on which another process works are included.
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
  const compared = compare(all, { stored: await readStored(path), filled: new Set(), failures: new Map() });
  const sources = everyText(all, compared).map(sourceOf);
  return {
    sessions: sources.length,
    ready: compared.ready.length,
    // The sessions of one file share its size.
    sizeBytes: Math.round(sources.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)),
  };
}

interface AllSources extends AsyncDisposable {
  /** The sources that were made already, in no order. */
  readonly sources: readonly CatalogSource[];
  readonly known: readonly KnownText[];
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
  // A spread would read all properties of the caller's object, and a shell opens its standard input when that property
  // is read.
  const at: PlacesAt = { ...placesOf(places), cwd: places.cwd ?? process.cwd() };
  const native = await nativeTexts({ ...shared, places, signal, ...present({ onFound }) });
  const own = await ownSources({ ...shared, places: at });
  const metIds = new Set([...native.sources, ...native.known].map(({ sessionId }) => sessionId));
  const copies = copySources({ ...shared, places, metIds });
  const mirrors = await mirrorSources({ ...shared, places, metIds, signal });
  const trashed = trashSources({ ...shared, places });
  return {
    sources: [...native.sources, ...own.sources, ...copies, ...mirrors, ...trashed],
    known: native.known,
    failures: own.failure === null ? [] : [own.failure],
    [Symbol.asyncDispose]: () => own[Symbol.asyncDispose](),
  };
}

type StoredSessions = ReadonlyMap<string, StoredSession>;

/** A session; its source is made only when it is needed. */
type AnyText = CatalogSource | KnownText;

function sourceOf(one: AnyText): CatalogSource {
  return "toSource" in one ? one.toSource() : one;
}

/** All sources except sub-agents inside other files, the newest first. */
function everySource({ sources, known }: AllSources): CatalogSource[] {
  return [...sources, ...known.map(sourceOf)].sort(byNewest);
}

function everyText({ sources, known }: AllSources, { inside }: IndexComparison): readonly AnyText[] {
  return [...sources, ...known, ...inside];
}

function byNewest(a: CatalogSource, b: CatalogSource): number {
  return b.changedMs - a.changedMs || (a.key < b.key ? -1 : 1);
}

/** The sessions of this machine, compared with those in the index. */
interface IndexComparison {
  /** Sub-agents inside other files, which are known only after these files were read. */
  readonly inside: readonly CatalogSource[];
  readonly ready: readonly StoredSession[];
  /** Sessions that the index lacks, newest first, without those that could not be read. */
  readonly missing: readonly CatalogSource[];
}

interface ComparisonInput {
  readonly stored: StoredSessions;
  readonly filled: ReadonlySet<string>;
  readonly failures: ReadonlyMap<string, unknown>;
}

function compare(
  { sources, known }: AllSources,
  { stored, filled, failures }: ComparisonInput,
): IndexComparison {
  const ready: StoredSession[] = [];
  const missing: CatalogSource[] = [];
  const inside: CatalogSource[] = [];
  const take = (one: AnyText): void => {
    const session = stored.get(one.key);
    if (session === undefined || !isReady(session, one, filled)) {
      if (!failures.has(one.key)) missing.push(sourceOf(one));
      return;
    }
    ready.push(session);
    if (session.withInside === null) return;
    inside.push(...(sourceOf(one).insideOf?.(parseStored(session.withInside)) ?? []));
  };
  for (const one of sources) take(one);
  for (const one of known) take(one);
  missing.sort(byNewest);
  // The loop may add sub-agents to the list over which it runs.
  for (const one of inside) take(one);
  return { inside, ready, missing };
}

async function readStored(path: string): Promise<StoredSessions> {
  return new Map((await storedSessions(path)).map((session) => [session.key, session]));
}

function isReady(session: StoredSession, source: AnyText, filled: ReadonlySet<string>): boolean {
  if (!session.isComplete) return false;
  const { stamp } = source;
  // A session that changed a moment ago has no stamp: it counts as indexed only if this call has read it.
  if (stamp === null) return filled.has(session.key);
  return session.stamp === stamp && (filled.has(session.key) || isBesideFresh(session, source));
}

function isBesideFresh(
  { beside }: StoredSession,
  { besideNow = stampOfFile }: Pick<CatalogSource, "besideNow">,
): boolean {
  return areDependenciesUnchanged(beside, besideNow);
}
