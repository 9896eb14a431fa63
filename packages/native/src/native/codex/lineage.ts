/**
 * The files that a session is made of: its own, and those of other threads that its history begins in.
 *
 * A file with `history_base` has only the records after a point of another file, which it identifies by the last UUID
 * of that file's name (seen in 0.169.0 for forks and reverts, and for forks of reverted threads).
 */

import { type Dirent, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Problem } from "@continuo/core/model";
import { type FoundFile, statFile } from "@continuo/files";
import { openLines } from "@continuo/files/records";
import { type FoundSession, type MemoKey, NO_MEMO, type SkimMemo, toTitle } from "../kit/index.ts";
import { homeOfFile, isRolloutName, parseRolloutName, sessionFolders } from "./places.ts";
import { type HistoryBase, parseRecord, parseSessionMeta, type SessionMeta } from "./records.ts";
import { typedText } from "./text-authors.ts";

export interface LineageFile {
  readonly path: string;
  readonly sizeBytes: number;
  readonly stat: FoundFile;
  /** The first typed text, if its head has it. */
  readonly typed: string | null;
  /** The name of the file in other files. */
  readonly fileId: string;
  readonly meta: SessionMeta | null;
  /** False for files of the threads that this one was forked from. */
  readonly own: boolean;
  readonly base: { readonly file: LineageFile; readonly cut: HistoryBase } | null;
}

export interface Lineage {
  /** Parents come before children; the last file is the one that is written to now. */
  readonly files: readonly LineageFile[];
  /** The names of the files that a history begins in, and that were not found. */
  readonly gone: readonly string[];
  readonly problems: readonly Problem[];
}

/** Errors: `not_found`, `unreadable` for the session's own files. */
export async function readLineage(found: FoundSession, memo: SkimMemo = NO_MEMO): Promise<Lineage> {
  const search: Search = { found, memo, known: new Map(), trail: [], files: [], gone: [], problems: [] };
  for (const file of found.files) await addFile(search, file, "own");
  const main = search.known.get(found.files.at(-1)?.path ?? "");
  const files = main ? [...search.files.filter((file) => file !== main), main] : search.files;
  return { files, gone: search.gone, problems: search.problems };
}

interface Search {
  readonly found: FoundSession;
  readonly memo: SkimMemo;
  readonly known: Map<string, LineageFile>;
  /** The paths from the requested file to the one that is being added. */
  readonly trail: string[];
  readonly files: LineageFile[];
  readonly gone: string[];
  readonly problems: Problem[];
}

async function addFile(search: Search, stat: FoundFile, owner: "own" | "other"): Promise<LineageFile> {
  const { path, sizeBytes } = stat;
  const known = search.known.get(path);
  if (known) return known;
  const { meta, typed } = await readRowHead(stat, search.memo);
  search.trail.push(path);
  const base = meta?.base ? await addBase(search, path, meta.base) : null;
  search.trail.pop();
  const { found } = search;
  const own = owner === "own" || found.files.some((file) => file.path === path);
  const fileId = parseRolloutName(path).fileId ?? meta?.id ?? basename(path);
  const file: LineageFile = { path, sizeBytes, stat, typed, fileId, meta, own, base };
  search.known.set(path, file);
  search.files.push(file);
  return file;
}

async function addBase(search: Search, path: string, cut: HistoryBase): Promise<LineageFile["base"]> {
  const place = path === search.found.location ? { line: 1 } : { line: 1, file: path };
  const parent = findFile(search.found, cut.fileId);
  if (parent === null) {
    const message = `the history before this file is in ${cut.fileId}, which is gone`;
    search.problems.push({ code: "missing_parent_session", message, ...place });
    search.gone.push(cut.fileId);
    return null;
  }
  if (search.trail.includes(parent.path)) {
    const message = `the history before this file is in ${cut.fileId}, which begins in this file`;
    search.problems.push({ code: "cycle", message, ...place });
    return null;
  }
  return { file: await addFile(search, parent, "other"), cut };
}

export interface FileHead {
  readonly meta: SessionMeta | null;
  /** The time of the first line. */
  readonly writtenAt: string | null;
  readonly firstType: string | null;
  /** The first typed text, if it was so near to the start that it was read together with the first line. */
  readonly typed: string | null;
}

/** Reads the facts of the first line. Errors: `not_found`, `unreadable`. */
export async function readHead(file: FoundFile, memo: SkimMemo = NO_MEMO): Promise<FileHead> {
  return await memo.remember(file, HEAD, () => lookAtHead(file.path));
}

/**
 * Reads the head that is stored in the row of the file, so that a list of few rows does not load the heads of all
 * files.
 */
async function readRowHead(file: FoundFile, memo: SkimMemo): Promise<FileHead> {
  const look = async (): Promise<FileHead> => knownHead(file, memo) ?? (await lookAtHead(file.path));
  return await memo.remember(file, { what: "row head" }, look);
}

const HEAD: MemoKey = { what: "head", isBrief: true };

/** Returns the facts of the first line if they are in memory. */
export function knownHead(file: FoundFile, memo: SkimMemo): FileHead | undefined {
  return memo.known?.(file, HEAD);
}

async function lookAtHead(path: string): Promise<FileHead> {
  // This size is above every limit, so `openLines` keeps no parsed records: only one line is needed.
  using lines = openLines(path, Number.POSITIVE_INFINITY);
  for await (const records of lines.scan()) {
    const [first] = records;
    const record = parseRecord(first?.value);
    return {
      meta: parseSessionMeta(first?.value),
      writtenAt: record?.timestamp ?? null,
      firstType: record?.type ?? null,
      typed: firstTypedIn(records),
    };
  }
  return { meta: null, writtenAt: null, firstType: null, typed: null };
}

/** The first text that was typed, as a title. */
function firstTypedIn(records: Iterable<{ readonly value: unknown }>): string | null {
  for (const { value } of records) {
    const record = parseRecord(value);
    const title = record === null ? null : toTitle(typedText(record.type, record.payload));
    if (title !== null) return title;
  }
  return null;
}

/**
 * The file that other files name by this id: of the session itself, or in the folders of its home. `null` if there is
 * none.
 */
export function findFile(found: FoundSession, fileId: string): FoundFile | null {
  if (fileId === "") return null;
  const own = found.files.find((file) => parseRolloutName(file.path).fileId === fileId);
  if (own) return own;
  for (const folder of foldersBeside(found.location, fileId)) {
    const path = rolloutsBelow(folder).find((file) => parseRolloutName(file).fileId === fileId);
    if (path !== undefined) return statFile(path);
  }
  return null;
}

/** The folders of the file's home, the likely day first; its own folder if it is elsewhere. */
function foldersBeside(location: string, fileId: string): string[] {
  const home = homeOfFile(location);
  if (home === null) return [dirname(location)];
  const [live, archived] = sessionFolders(home).map((folder) => folder.path);
  const days = live === undefined ? [] : daysOf(fileId).map((day) => join(live, day));
  return [...days, live, archived].filter((path) => path !== undefined);
}

/** 1 January 9999: folders have years of four digits. */
const MAX_TIME_MS: number = Date.UTC(9999, 0, 1);

/** A UUIDv7 contains its time. Folders are named by local time, which differs by at most a day. */
function daysOf(uuid: string): string[] {
  if (uuid[14] !== "7") return [];
  const ms = Number.parseInt(uuid.replace("-", "").slice(0, 12), 16);
  // The name comes from a file, and damage can turn any number into a year.
  if (!(ms < MAX_TIME_MS)) return [];
  return [0, -1, 1].map((days) =>
    new Date(ms + days * 86_400_000).toISOString().slice(0, 10).replaceAll("-", "/"),
  );
}

/** Paths of rollout files in a folder and below; none if the folder does not exist or cannot be read. */
export function rolloutsBelow(folder: string): string[] {
  const paths: string[] = [];
  addRollouts(folder, paths);
  return paths;
}

/** Node's own recursion takes four times as long, and with thousands of files that is a tenth of the time of a list. */
function addRollouts(folder: string, paths: string[]): void {
  for (const entry of entriesOf(folder)) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) addRollouts(path, paths);
    else if (isRolloutName(entry.name)) paths.push(path);
  }
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR" || code === "EACCES") return [];
    throw error;
  }
}
