/**
 * Finds session files: `projects/NAME/SID.jsonl`. The cwd cannot be derived from the name of a folder, because two
 * folders can have the same name. Therefore the first lines of each candidate are read if a cwd is given.
 */

import { basename, join } from "node:path";
import { setImmediate as otherWork } from "node:timers/promises";
import type { Problem } from "@continuo/core/model";
import {
  canonicalFolder,
  type FoundFile,
  type Json,
  namesIn,
  type Places,
  statFile,
  textField,
} from "@continuo/files";
import {
  type FindBatchOptions,
  type FindOptions,
  type FoundBatch,
  type FoundSession,
  foundIn,
  NO_KNOWN_FILES,
  NO_MEMO,
  placeOfKnown,
  readHead,
  readSessionFolder,
  type SessionFolder,
  type SkimMemo,
} from "../kit/index.ts";
import { HEAD_BYTES } from "./limits.ts";
import { type LiveSessions, readLiveSessions } from "./live.ts";
import { claudeFolders, projectNameOf } from "./places.ts";
import { isKnownType } from "./records.ts";
import { isArchivedBySidecar } from "./sidecar-files.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/iu;
const SUBAGENT = /^agent-(.+)\.jsonl$/u;

export function findSessions(places: Places, options: FindOptions): AsyncGenerator<FoundSession, void, void> {
  return foundIn(findBatches(places, { ...options, files: NO_KNOWN_FILES }));
}

export async function* findBatches(
  places: Places,
  { cwd: folder, subagents, files, memo, signal }: FindBatchOptions,
): AsyncGenerator<FoundBatch, void, void> {
  const folders = claudeFolders(places);
  const live = readLiveSessions(folders.running);
  const cwd = folder === undefined ? null : canonicalFolder(folder);
  const own = cwd === null ? null : projectNameOf(cwd);
  const wanted = own === null ? namesIn(folders.projects) : [...new Set([own, folders.forcedProject])];
  const archived = new Set<number>();
  const isArchived = (place: number): boolean => archived.has(place);
  const toFound = (place: number): FoundSession => {
    const { sessionId, location: path, files: own } = placeOfKnown(files, place);
    return toSession(own[0] ?? null, live, { path, sessionId, isArchived: isArchived(place) });
  };
  for (const name of wanted) {
    if (name === null) continue;
    signal?.throwIfAborted();
    await otherWork();
    const path = join(folders.projects, name);
    const { names, unreadable } = readSessionFolder("claude", path);
    const [found, known]: [FoundSession[], number[]] = [[], []];
    for (const file of filesIn(path, names)) {
      const place = files.placeOf(file.path);
      if (place === -1) found.push(foundFile(file.path, live, file));
      else {
        known.push(place);
        if (file.isArchived) archived.add(place);
      }
    }
    const all = [...unreadable, ...found];
    yield { found: cwd === null ? all : await ofFolder(all, cwd, name), known, isArchived, toFound };
    if (subagents !== "include") continue;
    const inFolders = await Array.fromAsync(subagentsIn({ path, names }, live, memo));
    yield { found: inFolders, known: [], isArchived, toFound };
  }
}

/** Returns the session or sub-agent of a file; `null` if neither its lines nor its folder are those of Claude Code. */
export async function recogniseFile(path: string, places: Places): Promise<FoundSession | null> {
  const { projects, running } = claudeFolders(places);
  const inline = /^(.+\.jsonl)#(.+)$/su.exec(path);
  const file = inline?.[1] ?? path;
  const stat = statFile(file);
  if (!file.endsWith(".jsonl") || stat === null) return null;
  const head = await readHead(file, HEAD_BYTES);
  const isAtHome = canonicalFolder(file).startsWith(join(canonicalFolder(projects), "/"));
  if (!isAtHome && !head.some(isClaudeLine)) return null;
  const found = foundFile(file, readLiveSessions(running), {
    sessionId: sessionIdOf(file, head),
    isArchived: isArchivedBySidecar(file),
  });
  return inline ? { ...found, sessionId: inline[2] ?? "", location: path } : found;
}

/** Returns the id in the name of a sub-agent's file, `null` for other files. */
export function subagentIdOf(path: string): string | null {
  return SUBAGENT.exec(basename(path))?.[1] ?? null;
}

/** Returns true if the text has the form of ids that Claude Code uses as names of files and folders. */
export function isSessionId(name: string): boolean {
  return UUID.test(name);
}

interface ProjectFolder extends Pick<SessionFolder, "names"> {
  readonly path: string;
}

/** Returns the files of sessions among the names in a project's folder. */
function* filesIn(
  folder: string,
  names: readonly string[],
): Generator<FileFacts & { readonly path: string }, void, void> {
  const all = new Set(names);
  for (const name of names) {
    if (!name.endsWith(".jsonl") || (name.startsWith("agent-") && SUBAGENT.test(name))) continue;
    const sessionId = name.slice(0, -".jsonl".length);
    // A session with an empty id could not be named.
    if (sessionId === "") continue;
    const path = `${folder}/${name}`;
    // Only a file in the session's own folder, next to the session file, can mark a session as archived.
    yield { path, sessionId, isArchived: all.has(sessionId) && isArchivedBySidecar(path) };
  }
}

/** Finds the sub-agents that have their own files, of sessions that still exist. */
async function* subagentsIn(
  { path: folder, names: all }: ProjectFolder,
  live: LiveSessions,
  memo: SkimMemo = NO_MEMO,
): AsyncGenerator<FoundSession, void, void> {
  const names = new Set(all);
  for (const name of all) {
    if (name.endsWith(".jsonl") && !SUBAGENT.test(name)) continue;
    if (names.has(`${name}.jsonl`)) {
      const own = join(folder, name, "subagents");
      const paths = namesIn(own).filter((one) => SUBAGENT.test(one));
      for (const path of paths) yield { ...foundSubagent(join(own, path), live), parentId: name };
    } else if (SUBAGENT.test(name)) {
      const found = foundSubagent(join(folder, name), live);
      const [file] = found.files;
      if (file === undefined) continue;
      const parentId = await memo.remember(file, { what: "parent", isBrief: true }, () =>
        parentOf(file.path),
      );
      if (parentId !== null && names.has(`${parentId}.jsonl`)) yield { ...found, parentId };
    }
  }
}

function foundSubagent(path: string, live: LiveSessions): FoundSession {
  return foundFile(path, live, { sessionId: subagentIdOf(path) ?? "", isArchived: false });
}

/** Returns the id of the session that the first lines of a sub-agent's file name. */
async function parentOf(path: string): Promise<string | null> {
  const ids = (await readHead(path, HEAD_BYTES)).map((record) => textField(record, "sessionId"));
  return ids.find((id) => id !== null) ?? null;
}

interface FileFacts {
  readonly sessionId: string;
  readonly isArchived: boolean;
}

function foundFile(path: string, live: LiveSessions, facts: FileFacts): FoundSession {
  return toSession(statFile(path), live, { ...facts, path });
}

function toSession(
  stat: FoundFile | null,
  live: LiveSessions,
  { path, sessionId, isArchived }: FileFacts & { readonly path: string },
): FoundSession {
  const files: FoundFile[] = stat === null ? [] : [stat];
  const problems: Problem[] = [];
  if (stat === null) problems.push({ code: "unreadable", line: null, message: `cannot read ${path}` });
  return {
    agent: "claude",
    sessionId,
    location: path,
    files,
    archived: stat !== null && isArchived,
    live: live.of(sessionId),
    problems,
  };
}

/**
 * Returns the id from the file name if it contains one; Claude Code resumes a file of any other name only by its path.
 */
function sessionIdOf(path: string, head: readonly Json[]): string {
  const subagent = subagentIdOf(path);
  if (subagent !== null) return subagent;
  const name = basename(path, ".jsonl");
  if (isSessionId(name)) return name;
  for (const record of head) {
    const id = textField(record, "sessionId");
    if (id !== null && id !== "") return id;
  }
  return name;
}

/**
 * Lines of other agents have types too, but only lines of Claude Code have a known type together with a chain of uuids,
 * a session id or the uuid of a leaf.
 */
function isClaudeLine(record: Json): boolean {
  if (typeof record.type !== "string" || !isKnownType(record.type)) return false;
  if (typeof record.uuid === "string" && "parentUuid" in record) return true;
  return typeof record.sessionId === "string" || typeof record.leafUuid === "string";
}

async function ofFolder(
  all: readonly FoundSession[],
  cwd: string,
  name: string,
): Promise<readonly FoundSession[]> {
  const own: FoundSession[] = [];
  for (const found of all) if (await isOfFolder(found, cwd, name)) own.push(found);
  return own;
}

/**
 * Returns false for a session that belongs to another folder with the same name. If the lines of a session name a
 * folder with a different name, the session was moved here, and Claude Code finds it here. A folder whose name is
 * forced has sessions of all projects.
 */
async function isOfFolder(found: FoundSession, cwd: string, name: string): Promise<boolean> {
  const head = await readHead(found.location, HEAD_BYTES);
  const first = head.map((record) => textField(record, "cwd")).find((text) => text !== null && text !== "");
  if (first === undefined || first === null) return true;
  const canonical = canonicalFolder(first);
  if (canonical === cwd) return true;
  const isExplained = projectNameOf(canonical) === name;
  return !isExplained && name === projectNameOf(cwd);
}
