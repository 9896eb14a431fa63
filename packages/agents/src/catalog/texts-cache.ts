/** The texts of all sessions, kept open between searches until a cheap check finds a change. */

import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { type FoundFile, mayBeWrittenSince, type PlacesAt, statFile } from "@continuo/files";
import { stampOf } from "@continuo/native/index-file";
import { foldersLookedInto } from "./examples.ts";
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
    const roots = (await foldersLookedInto(places)).flatMap(({ folders }) => folders);
    isSame = unchangedSince(nowMs, texts, roots);
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
 *
 * @param roots the folders in which agents keep their sessions; one that is missing must stay missing
 */
function unchangedSince(openedMs: number, texts: OpenTexts, roots: readonly string[]): () => boolean {
  const all = texts.all().flatMap(({ found }) => found?.files ?? []);
  const files = new Map<string, FoundFile>();
  for (const file of all) {
    if (files.size >= CATALOG_LIMITS.watchedFiles) break;
    files.set(file.path, file);
  }
  const existing = roots.filter((root) => existsSync(root));
  const missing = roots.filter((root) => !existing.includes(root));
  const folders = watchedFolders(
    all.map(({ path }) => path),
    existing,
  );
  const stamps = [...files.values()].map((file) => ({ path: file.path, stamp: stampOf([file]) }));
  return () =>
    !missing.some((root) => existsSync(root)) &&
    [...folders].every((folder) => {
      const stat = statSync(folder, { throwIfNoEntry: false });
      return stat !== undefined && !mayBeWrittenSince(stat, openedMs);
    }) &&
    stamps.every(({ path, stamp }) => {
      const now = statFile(path);
      return now !== null && stampOf([now]) === stamp;
    });
}

/**
 * The folder of each file and all folders above it up to its root: Codex keeps sessions in `YYYY/MM/DD`, so that a new
 * month changes only the folder of the year. For a file that is below no root, only the folder above it is added. The
 * roots and the folders directly below them are added even if they have no session yet: the folder of a project may be
 * older than its first session.
 */
function watchedFolders(paths: readonly string[], roots: readonly string[]): ReadonlySet<string> {
  const watched = new Set([...roots, ...roots.flatMap(foldersIn)]);
  for (const start of new Set(paths.map((path) => dirname(path)))) {
    const root = roots.find((one) => `${start}${sep}`.startsWith(`${one}${sep}`)) ?? dirname(start);
    watched.add(root);
    for (let folder = start; folder !== root; folder = dirname(folder)) watched.add(folder);
  }
  return watched;
}

/** Returns the folders directly below a root; none if the root is a file or cannot be read. */
function foldersIn(root: string): readonly string[] {
  try {
    const entries = readdirSync(root, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(root, name));
  } catch {
    return [];
  }
}
