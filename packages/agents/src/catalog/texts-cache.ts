/** The texts of all sessions, kept open between searches until a cheap check finds a change. */

import { statSync } from "node:fs";
import { dirname } from "node:path";
import { type FoundFile, mayBeWrittenSince, type PlacesAt, statFile } from "@continuo/files";
import { stampOf } from "@continuo/native/index-file";
import { CATALOG_LIMITS } from "./limits.ts";
import { type OpenTexts, openTexts, type TextsOptions } from "./texts.ts";
import { ownFiles } from "./texts-own.ts";

export interface KeptTexts extends AsyncDisposable {
  /** The texts as they are now; a change of an old session may be missing for a few seconds. Dispose of them after use. */
  open(options: TextsOptions): Promise<OpenTexts>;
  /** Call it after a change: the next search looks at all files again. */
  forget(): void;
}

interface CachedTexts {
  readonly texts: Promise<OpenTexts>;
  readonly options: TextsOptions;
  readonly rules: string;
  readonly openedMs: number;
  isUnchanged(): boolean;
  users: number;
  isDropped: boolean;
}

/** @param open and `nowMs` are given by tests */
export function createKeptTexts(
  places: PlacesAt,
  open: typeof openTexts = openTexts,
  nowMs: () => number = Date.now,
): KeptTexts {
  let kept: CachedTexts | null = null;
  let next: CachedTexts | null = null;
  let closing: ReturnType<typeof setTimeout> | undefined;
  let renewing: ReturnType<typeof setTimeout> | undefined;
  const keep = (entry: CachedTexts | null): void => {
    const before = kept;
    kept = entry;
    if (before !== null) void drop(before);
  };
  const begin = (options: TextsOptions): CachedTexts => {
    const entry = toEntry(options, { places, open, nowMs: nowMs() });
    entry.texts.catch(() => {
      if (kept === entry) kept = null;
    });
    return entry;
  };
  const forget = (): void => {
    clearTimeout(closing);
    clearTimeout(renewing);
    keep(null);
    if (next !== null) void drop(next);
    next = null;
  };
  /** The next search does not wait for this look at all files. */
  const renew = ({ options }: CachedTexts): void => {
    const one = begin(options);
    next = one;
    const end = (isOpen: boolean): void => {
      if (next !== one) return;
      next = null;
      if (isOpen) keep(one);
    };
    one.texts.then(
      () => end(true),
      () => end(false),
    );
  };
  const ageOf = ({ openedMs }: CachedTexts): number => nowMs() - openedMs;
  const isGood = (entry: CachedTexts, rules: string): boolean =>
    entry.rules === rules && ageOf(entry) < CATALOG_LIMITS.keptTextsMs && entry.isUnchanged();
  return {
    async open(options) {
      clearTimeout(renewing);
      if (kept === null || !isGood(kept, rulesOf(options))) {
        forget();
        kept = begin(options);
      }
      const entry = kept;
      entry.users += 1;
      const done = async (): Promise<void> => {
        entry.users -= 1;
        // The texts are renewed after a pause, so that a search that follows at once has the processor for itself.
        if (kept === entry && next === null && ageOf(entry) > CATALOG_LIMITS.renewTextsMs) {
          clearTimeout(renewing);
          renewing = setTimeout(renew, CATALOG_LIMITS.renewPauseMs, entry).unref();
        }
        await close(entry);
      };
      try {
        const texts = await entry.texts;
        clearTimeout(closing);
        // Open files are closed after a while, because there may be no further search.
        closing = setTimeout(forget, CATALOG_LIMITS.keptTextsMs).unref();
        return { ...texts, [Symbol.asyncDispose]: done };
      } catch (error) {
        await done();
        throw error;
      }
    },
    forget,
    async [Symbol.asyncDispose]() {
      const entries = [kept, next];
      forget();
      await Promise.all(entries.map((entry) => entry?.texts.catch(() => null)));
    },
  };
}

function rulesOf({ exclude = [] }: TextsOptions): string {
  return JSON.stringify(exclude);
}

function toEntry(
  { signal: _, onProgress: _1, ...options }: TextsOptions,
  {
    places,
    open,
    nowMs,
  }: { readonly places: PlacesAt; readonly open: typeof openTexts; readonly nowMs: number },
): CachedTexts {
  const own = stampOf(ownFiles(places));
  let isSame = (): boolean => true;
  const opened = async (): Promise<OpenTexts> => {
    const texts = await open(options);
    isSame = unchangedSince(nowMs, texts);
    return oneFillAtATime(texts);
  };
  return {
    texts: opened(),
    options,
    rules: rulesOf(options),
    openedMs: nowMs,
    isUnchanged: () => stampOf(ownFiles(places)) === own && isSame(),
    users: 0,
    isDropped: false,
  };
}

async function drop(entry: CachedTexts): Promise<void> {
  entry.isDropped = true;
  await close(entry);
}

async function close(entry: CachedTexts): Promise<void> {
  if (!entry.isDropped || entry.users > 0) return;
  // The error was reported to the search that opened the texts.
  const texts = await entry.texts.catch(() => null);
  await texts?.[Symbol.asyncDispose]();
}

/** Two searches fill one after the other: the second one finds less to do. */
function oneFillAtATime(texts: OpenTexts): OpenTexts {
  let last: Promise<unknown> = Promise.resolve();
  return {
    ...texts,
    fill(goOn) {
      const next = last.then(() => texts.fill(goOn));
      last = next.catch(() => undefined);
      return next;
    },
  };
}

/**
 * Returns a check of two things: the folders of sessions, which change when a session begins or disappears, and the
 * files that changed last.
 */
function unchangedSince(openedMs: number, texts: OpenTexts): () => boolean {
  const files = new Map<string, FoundFile>();
  const folders = new Set<string>();
  for (const { found } of texts.all()) {
    for (const file of found?.files ?? []) {
      if (files.size < CATALOG_LIMITS.watchedFiles) files.set(file.path, file);
      const folder = dirname(file.path);
      if (folders.has(folder)) continue;
      folders.add(folder);
      folders.add(dirname(folder));
    }
  }
  const stamps = [...files.values()].map((file) => ({ path: file.path, stamp: stampOf([file]) }));
  return () =>
    [...folders].every((folder) => {
      const stat = statSync(folder, { throwIfNoEntry: false });
      return stat !== undefined && !mayBeWrittenSince(stat, openedMs);
    }) &&
    stamps.every(({ path, stamp }) => {
      const now = statFile(path);
      return now !== null && stampOf([now]) === stamp;
    });
}
