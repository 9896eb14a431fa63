/** The sessions of a Codex home, and the session that any rollout file belongs to. */

import { realpathSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { setImmediate as otherWork } from "node:timers/promises";
import { isContinuoError, type Problem } from "@continuo/core/model";
import { type FoundFile, type Places, statFile } from "@continuo/files";
import {
  type FindBatchOptions,
  type FindOptions,
  type FoundBatch,
  type FoundSession,
  foundIn,
  NO_KNOWN_FILES,
  placeOfKnown,
  type SkimMemo,
  sessionIdOfLine,
} from "../kit/index.ts";

import { type FileHead, knownHead, readHead, rolloutsBelow } from "./lineage.ts";
import { type LiveThreadCheck, liveThreads } from "./live.ts";
import { codexHome, homeOfFile, isArchivedFile, parseRolloutName, sessionFolders } from "./places.ts";
import type { SessionMeta } from "./records.ts";

/** Number of files after which other work of the process runs. */
const FILES_AT_A_TIME = 64;

export function find(places: Places, options: FindOptions): AsyncGenerator<FoundSession, void, void> {
  return foundIn(findBatches(places, { ...options, files: NO_KNOWN_FILES }));
}

/**
 * Reads the first line of every file that is not known, because `session_meta` decides about the id, which may differ
 * from the one in the name, and only `session_meta` identifies a sub-agent. Threads that another thread spawned are not
 * separate sessions. A file is a known session only if no other file names the same thread.
 */
export async function* findBatches(
  places: Places,
  { cwd: folder, subagents, files, memo, signal }: FindBatchOptions,
): AsyncGenerator<FoundBatch, void, void> {
  const home = codexHome(places);
  const known = new Map<string, number>();
  const threads = new Map<string, Head[]>();
  let seen = 0;
  for (const path of sessionFolders(home).flatMap(({ path }) => rolloutsBelow(path))) {
    signal?.throwIfAborted();
    seen += 1;
    if (seen % FILES_AT_A_TIME === 0) await otherWork();
    const place = files.placeOf(path);
    const threadId = place === -1 ? "" : sessionIdOfLine(files.lineAt(place));
    if (place !== -1 && !known.has(threadId) && !threads.has(threadId)) {
      known.set(threadId, place);
      continue;
    }
    const head = await headOf(path, memo);
    if (head === null) continue;
    const same = known.get(head.threadId);
    const before = same === undefined ? null : await headOf(files.pathAt(same), memo);
    known.delete(head.threadId);
    const heads = threads.get(head.threadId) ?? [];
    threads.set(head.threadId, [...heads, ...(before === null ? [] : [before]), head]);
  }
  const cwd = folder === undefined ? null : realPath(folder);
  const isLive = liveThreads(home);
  const found = [...threads.values()].flatMap((heads): FoundSession[] => {
    const parent = parentOf(heads);
    if (parent !== null && subagents === undefined) return [];
    if (cwd !== null && !heads.some(({ meta }) => meta?.cwd && realPath(meta.cwd) === cwd)) return [];
    const one = toFound(heads, isLive);
    return [parent ? { ...one, parentId: parent.threadId } : one];
  });
  const isArchived = (place: number): boolean => isArchivedFile(files.pathAt(place));
  const toFoundSession = (place: number): FoundSession => {
    const one = placeOfKnown(files, place);
    return {
      ...one,
      agent: "codex",
      archived: isArchived(place),
      live: isLive(one.sessionId),
      problems: [],
    };
  };
  yield { found, known: [...known.values()], isArchived, toFound: toFoundSession };
}

/** The session of a file, with the other files of its thread that are in the same home or folder. */
export async function recognise(path: string): Promise<FoundSession | null> {
  const file = resolve(path);
  const head = await readFileHead(file);
  if (head === null || (head.meta === null && !looksLikeRollout(head))) return null;
  const home = homeOfFile(file);
  const folders = home === null ? [dirname(file)] : sessionFolders(home).map((folder) => folder.path);
  const heads = [head];
  for (const other of folders.flatMap(rolloutsBelow)) {
    // Only a file whose name has the same id can belong to the same thread, because files are found by this id.
    if (other === file || parseRolloutName(other).threadId !== head.threadId) continue;
    const beside = await readFileHead(other);
    if (beside?.threadId === head.threadId) heads.push(beside);
  }
  return toFound(heads, home === null ? () => null : liveThreads(home));
}

interface Head {
  readonly file: FoundFile;
  readonly threadId: string;
  readonly meta: SessionMeta | null;
  readonly firstType: string | null;
  readonly writtenAt: string;
  readonly problems: readonly Problem[];
}

/** Returns the thread that started this one, if the header of any of its files names it. */
function parentOf(heads: readonly Head[]): SessionMeta["parentThread"] {
  const child = heads.find(({ meta }) => meta !== null && meta.parentThread !== null);
  return child?.meta?.parentThread ?? null;
}

async function headOf(path: string, memo: SkimMemo | undefined): Promise<Head | null> {
  return knownFileHead(path, memo) ?? (await readFileHead(path, memo));
}

/** Returns the stored head of a file; `null` if none is stored. */
function knownFileHead(path: string, memo: SkimMemo | undefined): Head | null {
  if (memo?.known === undefined) return null;
  const file = statFile(path);
  const head = file === null ? undefined : knownHead(file, memo);
  return file === null || head === undefined ? null : toHead(file, head);
}

function toHead(file: FoundFile, { meta, writtenAt, firstType }: FileHead): Head {
  const threadId = meta?.id ?? namedThread(file.path);
  return { file, threadId, meta, firstType, writtenAt: writtenAt ?? "", problems: [] };
}

function namedThread(path: string): string {
  return parseRolloutName(path).threadId ?? basename(path);
}

/** Returns `null` if the file no longer exists. */
async function readFileHead(path: string, memo?: SkimMemo): Promise<Head | null> {
  const file = statFile(path);
  if (file === null) return null;
  try {
    return toHead(file, await readHead(file, memo));
  } catch (error) {
    if (isContinuoError(error, "not_found")) return null;
    if (!isContinuoError(error, "unreadable")) throw error;
    const problem: Problem = { code: "unreadable", line: null, message: error.message };
    return {
      file,
      threadId: namedThread(path),
      meta: null,
      firstType: null,
      writtenAt: "",
      problems: [problem],
    };
  }
}

/** A file without its header is recognized as Codex's by its name, or by a first record that only Codex writes. */
function looksLikeRollout({ file, firstType }: Head): boolean {
  if (basename(file.path).startsWith("rollout-")) return true;
  return firstType === "response_item" || firstType === "event_msg" || firstType === "turn_context";
}

function toFound(heads: readonly Head[], isLive: LiveThreadCheck): FoundSession {
  const sorted = heads.length === 1 ? heads : withoutCopies(heads).sort(byTime);
  const main = sorted.at(-1);
  if (main === undefined) throw new Error("a session has at least one file");
  return {
    agent: "codex",
    sessionId: main.threadId,
    location: main.file.path,
    files: sorted.map(({ file }) => file),
    archived: isArchivedFile(main.file.path),
    live: isLive(main.threadId),
    problems: heads.flatMap(({ problems }) => problems),
  };
}

function byTime(a: Head, b: Head): number {
  if (a.writtenAt !== b.writtenAt) return a.writtenAt < b.writtenAt ? -1 : 1;
  return basename(a.file.path) < basename(b.file.path) ? -1 : 1;
}

/** Codex turns `X.jsonl.zst` back into `X.jsonl` when it continues it; if both exist, the plain one counts. */
function withoutCopies(heads: readonly Head[]): Head[] {
  const plain = new Set(heads.map(({ file }) => file.path));
  return heads.filter(({ file: { path } }) => !path.endsWith(".zst") || !plain.has(path.slice(0, -4)));
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // Only the name of a missing folder is known.
    return resolve(path);
  }
}
