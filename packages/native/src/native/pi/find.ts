/**
 * Finds session files: `sessions/--CWD--/*.jsonl`, and `*.jsonl` in the folder that the user chose for all
 * sessions and in pi's own folder. A file whose name is not of pi's making is known by its header.
 */

import { basename, dirname, join, resolve } from "node:path";
import { setImmediate as otherWork } from "node:timers/promises";
import type { Problem } from "@continuo/core/model";
import { canonicalFolder, type Json, namesIn, type Places, statFile } from "@continuo/files";
import {
  type FindBatchOptions,
  type FindOptions,
  type FoundBatch,
  type FoundFile,
  type FoundSession,
  foundIn,
  type KnownFiles,
  NO_KNOWN_FILES,
  placeOfKnown,
  readHead,
  readSessionFolder,
} from "../kit/index.ts";
import { HEAD_BYTES } from "./limits.ts";
import { folderNameOf, namesOfCwd, type PiFolders, piFolders, sessionIdOf } from "./places.ts";
import { isKnownType, parseHeader } from "./records.ts";

export function findSessions(places: Places, options: FindOptions): AsyncGenerator<FoundSession, void, void> {
  return foundIn(findBatches(places, { ...options, files: NO_KNOWN_FILES }));
}

export async function* findBatches(
  places: Places,
  { cwd, files, signal }: FindBatchOptions,
): AsyncGenerator<FoundBatch, void, void> {
  const cwds = cwd === undefined ? null : namesOfCwd(cwd);
  const own = cwds?.map(folderNameOf) ?? null;
  const toFoundSession = (place: number): FoundSession => {
    const one = placeOfKnown(files, place);
    return toSession(one.location, one.sessionId, one.files[0] ?? null);
  };
  for (const { folder, others } of foldersOf(piFolders(places), own)) {
    signal?.throwIfAborted();
    await otherWork();
    const { found, known } = await sessionsIn(folder, others, files);
    const all = cwds === null ? found : await ofFolder(found, cwds);
    yield { found: all, known, isArchived: () => false, toFound: toFoundSession };
  }
}

interface LookedFolder {
  readonly folder: string;
  /** True if files of other programs can be in it. */
  readonly others: boolean;
}

/** Each folder once. @param own the names of the wanted folders below `sessions`; `null` for all */
function foldersOf(
  { sessions, chosen, agent }: PiFolders,
  own: readonly string[] | null,
): readonly LookedFolder[] {
  const all = [
    ...namesIn(sessions)
      .filter((name) => own === null || own.includes(name))
      .map((name) => ({ folder: join(sessions, name), others: false })),
    ...(chosen === null ? [] : [{ folder: chosen, others: true }]),
    { folder: agent, others: true },
  ];
  const seen = new Set<string>();
  return all.filter(({ folder }) => !seen.has(folder) && seen.add(folder));
}

/** Returns the session of a file; `null` if nothing in or around it shows that it belongs to pi. */
export async function recogniseFile(path: string, places: Places): Promise<FoundSession | null> {
  const file = resolve(path);
  if (statFile(file) === null) return null;
  const head = await readHead(file, HEAD_BYTES);
  const { sessions } = piFolders(places);
  const isAtHome =
    file.endsWith(".jsonl") && canonicalFolder(file).startsWith(join(canonicalFolder(sessions), "/"));
  return isAtHome || head.some(isPiRecord) ? toFound(file, head) : null;
}

/** In a folder with other files, a file is a session if it has a header or a name in the form of pi. */
async function sessionsIn(
  folder: string,
  others: boolean,
  files: KnownFiles,
): Promise<Pick<FoundBatch, "found" | "known">> {
  const { names, unreadable } = readSessionFolder("pi", folder);
  const [found, known]: [FoundSession[], number[]] = [[...unreadable], []];
  for (const name of names) {
    const path = `${folder}/${name}`;
    if (!name.endsWith(".jsonl")) continue;
    if (sessionIdOf(path) !== null) {
      const place = files.placeOf(path);
      if (place === -1) found.push(toFound(path, []));
      else known.push(place);
    } else {
      const head = await readHead(path, HEAD_BYTES);
      if (!others || head.some((record) => parseHeader(record) !== null)) found.push(toFound(path, head));
    }
  }
  return { found, known };
}

function toFound(path: string, head: readonly Json[]): FoundSession {
  const headed = head.map((record) => parseHeader(record)?.id ?? null).find((id) => id !== null);
  return toSession(path, sessionIdOf(path) ?? headed ?? basename(path, ".jsonl"), statFile(path));
}

function toSession(path: string, sessionId: string, file: FoundFile | null): FoundSession {
  const unread: Problem = { code: "unreadable", line: null, message: `cannot read ${path}` };
  return {
    agent: "pi",
    sessionId,
    location: path,
    files: file === null ? [] : [file],
    archived: false,
    // pi leaves no mark on disk of an open session.
    live: null,
    problems: file === null ? [unread] : [],
  };
}

async function ofFolder(
  all: readonly FoundSession[],
  cwds: readonly string[],
): Promise<readonly FoundSession[]> {
  const own: FoundSession[] = [];
  for (const found of all) if (await isOfCwd(found, cwds)) own.push(found);
  return own;
}

/** A session whose header names no cwd belongs to the folder that it is in. */
async function isOfCwd(found: FoundSession, cwds: readonly string[]): Promise<boolean> {
  const head = await readHead(found.location, HEAD_BYTES);
  const cwd = head.map((record) => parseHeader(record)?.cwd ?? null).find((name) => name !== null);
  if (cwd === undefined) return cwds.map(folderNameOf).includes(basename(dirname(found.location)));
  return namesOfCwd(cwd ?? "").some((name) => cwds.includes(name));
}

/** Entries of other agents have types too: a header with an id and a cwd, or an entry in a tree, is pi's. */
function isPiRecord(record: Json): boolean {
  const header = parseHeader(record);
  if (header !== null) return header.id !== null && header.cwd !== null;
  if (typeof record.type !== "string" || !isKnownType(record.type)) return false;
  return typeof record.id === "string" && "parentId" in record && typeof record.timestamp === "string";
}
