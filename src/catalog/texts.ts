/** The texts of all native sessions, as the index takes them in: which are there, what is new, and how each is read. */

import { type FoundFile, type Places, statFile } from "../files/index.ts";
import {
  fillText,
  indexPathOf,
  isSettled,
  type OpenText,
  openRows,
  removeText,
  type StoredSession,
  stampOf,
  storedSessions,
  type TextSource,
} from "../index-file/index.ts";
import type { Message, SessionDetails, SessionInfo } from "../model/index.ts";
import { findSessions, openNativeSession } from "../native/index.ts";
import type { FoundSession, OpenedSession, SavedSkimMemo } from "../native/kit/index.ts";
import { everyMessage } from "./every-message.ts";
import { excludes } from "./exclude.ts";

/** What a search knows of a session without opening it. */
export type IndexedSession = Pick<
  SessionInfo,
  "agent" | "sessionId" | "location" | "cwd" | "title" | "gitBranch" | "updatedAt" | "archived"
>;

export interface TextsOptions {
  readonly places: Places;
  /** Patterns of sessions that are kept out of the index, as `excludes` takes them. */
  readonly exclude?: readonly string[];
  /** Milliseconds after which no further session is begun; no limit when left out. */
  readonly timeMs?: number;
  readonly signal?: AbortSignal;
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
  const memo = openRows(path, Date.now());
  const all = await textSources(options, memo);
  await memo.save("part");
  const stored = new Map((await storedSessions(path)).map((session) => [session.key, session]));
  const isFresh = ({ key, stamp }: TextSource): boolean => {
    const known = stored.get(key);
    return known !== undefined && stamp !== null && known.stamp === stamp && isBesideFresh(known);
  };
  const stale = all.filter((source) => !isFresh(source));
  const keys = new Set(all.map(({ key }) => key));
  await removeText(
    path,
    [...stored.keys()].filter((key) => !keys.has(key)),
  );
  const ofBytes = stale.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const end = performance.now() + (options.timeMs ?? Number.POSITIVE_INFINITY);
  const { filled, failures } = await fillText(path, {
    sources: stale,
    ...(options.signal === undefined ? {} : { signal: options.signal }),
    ...(options.batchChars === undefined ? {} : { batchChars: options.batchChars }),
    goOn: () => performance.now() < end,
    onProgress: (done) => options.onProgress?.({ ...done, ofSessions: stale.length, ofBytes }),
  });
  const sources = new Map(all.map((source) => [source.key, source]));
  const ready = (await storedSessions(path)).filter((session) => {
    const source = sources.get(session.key);
    if (source === undefined || !session.isComplete) return false;
    // What changed a moment ago was read just now, and counts for this call.
    if (source.stamp === null) return filled.has(session.key);
    return session.stamp === source.stamp && (filled.has(session.key) || isBesideFresh(session));
  });
  return {
    ready: new Map(ready.map(({ id, stamp, source }) => [id, { ...JSON.parse(source), stamp }])),
    // Also what another process is at work on.
    left: Math.max(0, all.length - ready.length - failures.size),
    unreadable: [...failures].map(([location, error]) => ({ location, message: messageOf(error) })),
    cut: ready.filter(({ cutChars }) => cutChars > 0).length,
  };
}

/** How much of the text is there, without changing anything. */
export async function textsState(options: TextsOptions): Promise<{
  readonly sessions: number;
  readonly ready: number;
  readonly sizeBytes: number;
}> {
  const all = await textSources(options, openRows(indexPathOf(options.places), Date.now()));
  const stored = new Map(
    (await storedSessions(indexPathOf(options.places))).map((one) => [one.key, one.stamp]),
  );
  return {
    sessions: all.length,
    ready: all.filter(({ key, stamp }) => stamp !== null && stored.get(key) === stamp).length,
    sizeBytes: all.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
  };
}

/** Every native session that has a file and is not excluded, the one that changed last first. */
async function textSources(
  { places, exclude = [], signal }: TextsOptions,
  memo: SavedSkimMemo,
): Promise<TextSource[]> {
  const nowMs = Date.now();
  const isExcluded = excludes(exclude, places.home);
  // What was kept out, or taken in, by other patterns is looked at again.
  const rules = exclude.length === 0 ? "" : `\n${JSON.stringify(exclude)}`;
  const found: FoundSession[] = [];
  for await (const one of findSessions({ places, memo, ...(signal === undefined ? {} : { signal }) })) {
    if (one.files.length === 0) continue;
    if (!isExcluded(one.location)) found.push(one);
  }
  const sharing = new Map<string, number>();
  for (const one of found) sharing.set(fileOf(one), (sharing.get(fileOf(one)) ?? 0) + 1);
  return found
    .sort((a, b) => changedMs(b) - changedMs(a) || (a.location < b.location ? -1 : 1))
    .map((one) =>
      toSource(one, { places, nowMs, isExcluded, rules, sharing: sharing.get(fileOf(one)) ?? 1 }),
    );
}

function changedMs({ files }: FoundSession): number {
  return Math.max(...files.map(({ mtimeMs }) => mtimeMs));
}

function fileOf({ files }: FoundSession): string {
  return files[0]?.path ?? "";
}

interface SourceOptions {
  readonly places: Places;
  readonly nowMs: number;
  /** A folder or a file. */
  readonly isExcluded: (path: string) => boolean;
  readonly rules: string;
  /** How many sessions have the same file: those of a database. */
  readonly sharing: number;
}

function toSource(
  found: FoundSession,
  { places, nowMs, sharing, isExcluded, rules }: SourceOptions,
): TextSource {
  const { files, location } = found;
  return {
    key: location,
    stamp: isSettled(files, nowMs) ? `${stampOf(files)}${rules}` : null,
    sizeBytes: files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) / sharing,
    open: async (signal) => {
      const looking = { places, ...(signal === undefined ? {} : { signal }) };
      const session = await openNativeSession(found, looking);
      const { cwd } = session.details;
      const text = toText(session, files, signal);
      // The folder stands inside the file.
      return cwd !== null && isExcluded(cwd) ? { ...text, messages: nothing() } : text;
    },
  };
}

async function* nothing(): AsyncGenerator<Message, void, void> {
  // A session without a message.
}

function toText(
  session: OpenedSession,
  files: readonly FoundFile[],
  signal: AbortSignal | undefined,
): OpenText {
  const own = new Set(files.map(({ path }) => path));
  const others = new Map<string, string>();
  return {
    source: JSON.stringify(toIndexed(session.details)),
    messages: looked(everyMessage(session, signal === undefined ? {} : { signal }), ({ metadata }) => {
      for (const { file } of metadata.records ?? []) {
        if (file !== undefined && !own.has(file) && !others.has(file)) others.set(file, stampNow(file));
      }
    }),
    beside: () => Object.fromEntries(others),
    [Symbol.dispose]: () => session.close(),
  };
}

function toIndexed(details: SessionDetails): IndexedSession {
  const { agent, sessionId, location, cwd, title, gitBranch, updatedAt, archived } = details;
  return { agent, sessionId, location, cwd, title, gitBranch, updatedAt, archived };
}

async function* looked(
  messages: AsyncIterable<Message>,
  look: (message: Message) => void,
): AsyncGenerator<Message, void, void> {
  for await (const message of messages) {
    look(message);
    yield message;
  }
}

function isBesideFresh({ beside }: StoredSession): boolean {
  return Object.entries(beside).every(([path, stamp]) => stampNow(path) === stamp);
}

function stampNow(path: string): string {
  const file = statFile(path);
  return file === null ? "gone" : stampOf([file]);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
