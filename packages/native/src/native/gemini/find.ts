/**
 * Finds sessions: every `session-*.json(l)` in the `chats` folders. The first record of a file has the id of its
 * session; the name of the file has at most the first eight characters of the id. Several files can belong to one
 * session, for two reasons:
 *
 * - When Gemini CLI resumes a session, it writes a second file that has only the context of the new start.
 * - When it resumes a `.json` file, it writes a `.jsonl` file, and the old file stays.
 *
 * Gemini CLI reads only one of them: the file that has a conversation and the greatest `lastUpdated`. Among equal
 * files, it is the first by name.
 */

import { basename, dirname, join } from "node:path";
import { setImmediate as otherWork } from "node:timers/promises";
import { type Problem, present } from "@continuo/core/model";
import {
  canonicalFolder,
  type FoundFile,
  isJson,
  type Json,
  namesIn,
  type Places,
  parseJson,
  statFile,
  textField,
} from "@continuo/files";
import {
  type FindBatchOptions,
  type FindOptions,
  type FoundBatch,
  type FoundSession,
  foundIn,
  type KnownFiles,
  type MemoKey,
  NO_KNOWN_FILES,
  NO_MEMO,
  placeOfKnown,
  type SkimMemo,
  sessionIdOfLine,
} from "../kit/index.ts";
import {
  geminiFolders,
  hashOf,
  isHashName,
  isRecordName,
  isSessionName,
  ownerOf,
  parentOfFile,
  projectNamesOf,
  projectOfFile,
  readRegistry,
  shortIdOf,
} from "./places.ts";
import { kindOf, metadataIn } from "./records.ts";
import { lastUpdatedOf, skimFile } from "./skim-file.ts";
import { readHeadText } from "./source.ts";
import { subagentFiles, subagentFolderName } from "./subagents.ts";

export function findSessions(places: Places, options: FindOptions): AsyncGenerator<FoundSession, void, void> {
  return foundIn(findBatches(places, { ...options, files: NO_KNOWN_FILES }));
}

/** A file is a known session only if no other file names the same session. */
export async function* findBatches(
  places: Places,
  { cwd, subagents, files, memo, signal }: FindBatchOptions,
): AsyncGenerator<FoundBatch, void, void> {
  const folders = geminiFolders(places);
  const registry = readRegistry(folders.runtime);
  const names = cwd === undefined ? namesIn(folders.projects) : projectNamesOf(folders, canonicalFolder(cwd));
  for (const name of names) {
    signal?.throwIfAborted();
    await otherWork();
    const chats = chatsIn(folders.projects, name, registry);
    const { known, paths } = await knownSessions(chats.paths, files, memo);
    const groups = await bySession(paths, memo);
    if (known.length + groups.length === 0) continue;
    const owner = ownerOf(join(folders.projects, name), registry);
    const withOwner = (found: FoundSession): FoundSession =>
      owner === null ? found : { ...found, cwd: owner };
    const toFoundSession = (place: number): FoundSession => withOwner(toFoundOne(files, place));
    const found: FoundSession[] = [];
    for (const group of groups) found.push(withOwner(await toFound(group)));
    if (subagents !== undefined) {
      const parents = [...found, ...known.map((place) => placeOfKnown(files, place))];
      for (const one of parents) found.push(...(await subagentsOf(one, chats, memo)).map(withOwner));
    }
    yield {
      found,
      known,
      isArchived: () => false,
      toFound: toFoundSession,
      ...present({ cwd: owner ?? undefined }),
    };
  }
}

async function subagentsOf(
  { sessionId, location }: Pick<FoundSession, "sessionId" | "location">,
  { names }: ChatsFolder,
  memo: SkimMemo | undefined,
): Promise<readonly FoundSession[]> {
  if (!names.has(subagentFolderName(sessionId))) return [];
  const found: FoundSession[] = [];
  for (const file of subagentFiles(location, sessionId))
    found.push({ ...(await toFound(await lookAt(file, memo))), parentId: sessionId });
  return found;
}

interface KnownSessions {
  readonly known: readonly number[];
  /** The other files, in their order. */
  readonly paths: readonly string[];
}

async function knownSessions(
  paths: readonly string[],
  files: KnownFiles,
  memo: SkimMemo | undefined,
): Promise<KnownSessions> {
  const all = new Map(paths.map((path) => [path, files.placeOf(path)]));
  if ([...all.values()].every((place) => place === -1)) return { known: [], paths };
  const counts = new Map<string, number>();
  for (const [path, place] of all) {
    const sessionId =
      place === -1 ? (await lookAt(path, memo)).sessionId : sessionIdOfLine(files.lineAt(place));
    counts.set(sessionId, (counts.get(sessionId) ?? 0) + 1);
  }
  const isKnown = (place: number): boolean =>
    place !== -1 && counts.get(sessionIdOfLine(files.lineAt(place))) === 1;
  return {
    known: [...all.values()].filter(isKnown),
    paths: paths.filter((path) => !isKnown(all.get(path) ?? -1)),
  };
}

interface ChatsFolder {
  /** The files that Gemini CLI lists. */
  readonly paths: readonly string[];
  /** All names, also those of the folders of sub-agents. */
  readonly names: ReadonlySet<string>;
}

function chatsIn(projects: string, name: string, registry: ReadonlyMap<string, string>): ChatsFolder {
  const chats = join(projects, name, "chats");
  const copied = copiedNames(projects, name, registry);
  const names = namesIn(chats);
  const files = names.filter((file) => isSessionName(file) && !copied.has(file));
  return { paths: files.map((file) => `${chats}/${file}`), names: new Set(names) };
}

/**
 * Returns the names of files in a folder of an older version that are also in the slug's folder: Gemini CLI copied
 * these files, continues the copies, and never reads the old files again.
 */
function copiedNames(
  projects: string,
  name: string,
  registry: ReadonlyMap<string, string>,
): ReadonlySet<string> {
  if (!isHashName(name)) return new Set();
  const owner = ownerOf(join(projects, name), registry);
  if (owner === null || hashOf(owner) !== name) return new Set();
  const slug = registry.get(owner);
  return new Set(slug === undefined ? [] : namesIn(join(projects, slug, "chats")));
}

/**
 * Returns the session or sub-agent of a file; `null` if nothing in or around it shows that it belongs to Gemini CLI.
 */
export async function recogniseFile(path: string, places: Places): Promise<FoundSession | null> {
  const file = statFile(path);
  if (file === null || !isRecordName(basename(path))) return null;
  const isAtHome = canonicalFolder(path).startsWith(
    join(canonicalFolder(geminiFolders(places).projects), "/"),
  );
  const head = readHead(path);
  if (!(isAtHome && projectOfFile(path) !== null) && !head.some(isGeminiRecord)) return null;
  if (!isSessionName(basename(path)) || basename(dirname(path)) !== "chats")
    return await toFound(await lookAt(path));
  const siblings = namesIn(dirname(path)).filter(isSessionName);
  const groups = await bySession(siblings.map((name) => join(dirname(path), name)));
  const group = groups.find(({ files }) => files.has(path)) ?? (await lookAt(path));
  const found = await toFound(group);
  return found.location === path ? found : await toFound(await lookAt(path));
}

/** The files of one session. */
interface SessionFiles {
  readonly sessionId: string;
  /** The files by their paths, in the order of names; `null` for a path that is not a file. */
  readonly files: Map<string, FoundFile | null>;
}

/** Groups files by the session that their first record names. */
async function bySession(paths: readonly string[], memo: SkimMemo = NO_MEMO): Promise<SessionFiles[]> {
  const groups = new Map<string, SessionFiles>();
  for (const path of paths) {
    const file = await lookAt(path, memo);
    const group = groups.get(file.sessionId);
    if (group === undefined) groups.set(file.sessionId, file);
    else for (const [name, found] of file.files) group.files.set(name, found);
  }
  return [...groups.values()];
}

async function lookAt(path: string, memo: SkimMemo = NO_MEMO): Promise<SessionFiles> {
  const file = statFile(path);
  const sessionId =
    file === null
      ? sessionIdOf(path)
      : (memo.known?.<string>(file, SESSION_ID) ??
        (await memo.remember(file, SESSION_ID, async () => sessionIdOf(path))));
  return { sessionId, files: new Map([[path, file]]) };
}

const SESSION_ID: MemoKey = { what: "session id", isBrief: true };

async function toFound({ sessionId, files: looked }: SessionFiles): Promise<FoundSession> {
  const paths = [...looked.keys()];
  const main = paths.length === 1 ? (paths[0] ?? "") : await mainOf(looked);
  const problems: Problem[] = [];
  const files: FoundFile[] = [];
  for (const path of [...paths.filter((path) => path !== main), main]) {
    const file = looked.get(path) ?? null;
    if (file !== null) files.push(file);
    else if (path === main) problems.push({ code: "unreadable", line: null, message: `cannot read ${path}` });
  }
  return {
    agent: "gemini",
    sessionId,
    location: main,
    files: problems.length > 0 ? [] : files,
    archived: false,
    // Gemini CLI does not mark open sessions.
    live: null,
    problems,
  };
}

/** The session of one file. */
function toFoundOne(files: KnownFiles, known: number): FoundSession {
  return { ...placeOfKnown(files, known), agent: "gemini", archived: false, live: null, problems: [] };
}

async function mainOf(files: SessionFiles["files"]): Promise<string> {
  let best: { readonly path: string; readonly key: string } | null = null;
  for (const [path, file] of files) {
    if (file === null) continue;
    const skimmed = await skimFile(file, { part: "ends" });
    const lastUpdated = (await lastUpdatedOf(file)) ?? "";
    const key = `${skimmed.firsts.conversation ? 1 : 0} ${lastUpdated}`;
    if (best === null || key > best.key) best = { path, key };
  }
  return best?.path ?? [...files.keys()][0] ?? "";
}

/** Returns the id in the first record that has one, else the part of it in the name of the file. */
export function sessionIdOf(path: string): string {
  for (const record of recordsOfHead(path)) {
    const id = textField(metadataIn(record, kindOf(record)) ?? {}, "sessionId");
    if (id !== null && id !== "") return id;
  }
  if (parentOfFile(path) !== null) return basename(path).replace(/\.jsonl?$/u, "");
  return shortIdOf(path) ?? (basename(path).replace(/^session-|\.jsonl?$/gu, "") || basename(path));
}

/** Returns the objects among the first lines of a file; none if it cannot be read. */
function readHead(path: string): Json[] {
  return [...recordsOfHead(path)];
}

/** Yields the records one after the other, because usually the first one is enough. */
function* recordsOfHead(path: string): Generator<Json, void, void> {
  let text: string;
  try {
    text = readHeadText(path);
  } catch {
    return;
  }
  let isRecords = false;
  for (const line of text.replace(/^\ufeff/u, "").split("\n")) {
    const value = parseOrNothing(line);
    if (!isJson(value)) continue;
    isRecords = true;
    yield value;
  }
  if (!isRecords) yield* startOfObject(text);
}

/**
 * Returns the fields before the messages. This is for a file without a complete line in the part that was read: its
 * object has several lines, or its first line is longer than that part.
 */
function startOfObject(text: string): Json[] {
  const fields: Record<string, unknown> = {};
  const start = text.split('"messages"', 1)[0] ?? "";
  for (const key of ["sessionId", "projectHash"]) {
    const found = new RegExp(`"${key}"\\s*:\\s*("(?:[^"\\\\]|\\\\.)*")`, "u").exec(start)?.[1];
    const value = found === undefined ? undefined : parseOrNothing(found);
    if (typeof value === "string") fields[key] = value;
  }
  return [fields];
}

function parseOrNothing(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** Returns true for a record that only this agent writes: it has the id of a session and the hash of a project. */
function isGeminiRecord(record: Json): boolean {
  return typeof record.sessionId === "string" && typeof record.projectHash === "string";
}
