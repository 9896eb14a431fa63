/** The notes of edits: files in `CONTINUO_HOME/unfinished`, which exist while an edit takes place. */

import { randomInt } from "node:crypto";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type AgentName, isAgentName } from "@continuo/core/model";
import {
  continuoHome,
  isJson,
  isRunning,
  isWriteFailure,
  listNames,
  type Places,
  type ProcessPlace,
  placeOfThisProcess,
  processStartOf,
  removeLeft,
  syncPath,
  writeDurably,
  writeFailure,
} from "@continuo/files";
import type { SideFile } from "../../native/writing/index.ts";

/** A new session. The file gets its final name only when it is complete. */
export interface PlaceNote {
  readonly how: "place";
  readonly agent: AgentName;
  readonly sessionId: string;
  /** The location by which the agent's reader recognises the session. */
  readonly location: string;
  /** The path of the file, or of the database. */
  readonly path: string;
  /** Files that are written before the session, and lines that are added to other files after it. */
  readonly besides: readonly SideFile[];
  /**
   * Equal for equal requests, so that a second attempt finds the first one. `null` if each request makes a new session.
   */
  readonly key: string | null;
}

/** The edit appends `text` to a file that has `size` bytes. */
export interface AppendNote {
  readonly how: "append";
  readonly path: string;
  readonly size: number;
  readonly text: string;
}

/** A new title for a session whose title is also stored outside of the session's own records. */
export interface RenameNote {
  readonly how: "rename";
  readonly agent: AgentName;
  readonly sessionId: string;
  /** The file of the session. */
  readonly path: string;
  readonly title: string;
  readonly besides: readonly SideFile[];
}

/**
 * A session that is moved to the trash, or a session whose old state is moved there, because a repaired state replaces
 * it.
 */
export interface TrashNote {
  readonly how: "trash";
  readonly trashId: string;
}

/** A session that is restored from the trash. */
export interface RestoreNote {
  readonly how: "restore";
  readonly trashId: string;
}

/** A session that is deleted from the trash. */
export interface EmptyNote {
  readonly how: "empty";
  readonly trashId: string;
}

export type Note = PlaceNote | AppendNote | RenameNote | TrashNote | RestoreNote | EmptyNote;

export interface UnfinishedNote {
  readonly note: Note;
  /** The process that wrote it. */
  readonly pid: number;
  /** Milliseconds since 1970. */
  readonly writtenMs: number;
  remove(): void;
}

/** Runs `edit` under a note. Errors: `unwritable` if the note or a write of `edit` fails; other errors of `edit`. */
export async function underNote<T>(places: Places, note: Note, edit: () => T | Promise<T>): Promise<T> {
  const end = beginNote(places, note);
  try {
    const result = await edit();
    end("done");
    return result;
  } catch (error) {
    end("refused");
    throw isWriteFailure(error) ? writeFailure("cannot make the requested change", error) : error;
  }
}

/** The limit of the random number in a note's name: processes in two containers may have the same process number. */
const MAX_NAME = 2 ** 47;

/** Writes and syncs a note, and returns a function that removes it. Errors: `unwritable`. */
export function beginNote(places: Places, note: Note): (outcome: "done" | "refused") => void {
  const folder = notesFolder(places);
  const path = join(folder, `${process.pid}-${randomInt(MAX_NAME)}.json`);
  const end = (outcome: "done" | "refused"): void => {
    // The removal is synced: if the note came back after a power cut, Continuo would finish an edit that was refused.
    if (outcome === "refused") removeLeft(path);
    else rmSync(path, { force: true });
    // If this note came back, a later equal request would return the old session.
    if (note.how === "place" && note.key !== null) syncPath(folder);
  };
  try {
    const startedAt = processStartOf(process.pid);
    const written = { startedAt, place: placeOfThisProcess(), writtenMs: Date.now(), note };
    writeDurably(path, JSON.stringify(written));
  } catch (cause) {
    if (existsSync(folder)) removeLeft(path);
    throw writeFailure(`cannot write ${path}`, cause, "Try again; nothing was changed.");
  }
  return end;
}

/** Returns the notes of processes that are gone, in no particular order. */
export function notesLeft(places: Places): readonly UnfinishedNote[] {
  const folder = notesFolder(places);
  const left: UnfinishedNote[] = [];
  for (const name of listNames(folder)) {
    const [, digits, ending] = /^(\d+)-\d+\.json(.*)$/u.exec(name) ?? [];
    const path = join(folder, name);
    const pid = Number(digits);
    const remove = (): void => rmSync(path, { force: true });
    if (digits === undefined) continue;
    // An incomplete note: its edit had not begun.
    if (ending !== "") {
      if (isGone(pid)) remove();
      continue;
    }
    const read = readNote(path);
    if (read === null) {
      if (isGone(pid)) remove();
    } else if (isWriterGone(pid, read))
      left.push({ note: read.note, writtenMs: read.writtenMs, pid, remove });
  }
  return left;
}

/** The longest possible duration of an edit. */
const MAX_EDIT_MS = 60 * 60 * 1000;

/** The number of a process has no meaning if it comes from another machine or container. */
function isWriterGone(pid: number, { startedAt, writtenMs, place }: ReadNote): boolean {
  const here = placeOfThisProcess();
  const isSameHost = place === null || place.host === here.host;
  const isSameBoot = place === null || place.boot === here.boot;
  if (isSameBoot && (place === null || place.namespace === here.namespace)) return isGone(pid, startedAt);
  // The machine has been restarted.
  if (isSameHost && !isSameBoot) return true;
  return Date.now() - writtenMs > MAX_EDIT_MS;
}

/** @param startedAt the value of `processStartOf`, because another process may have the same number now. */
export function isGone(pid: number, startedAt: string | null = null): boolean {
  if (!isRunning(pid)) return true;
  return startedAt !== null && processStartOf(pid) !== startedAt;
}

function notesFolder(places: Places): string {
  return join(continuoHome(places), "unfinished");
}

interface ReadNote {
  readonly startedAt: string | null;
  readonly place: ProcessPlace | null;
  readonly writtenMs: number;
  readonly note: Note;
}

/** Returns `null` if the file is not a note, or no longer exists. */
function readNote(path: string): ReadNote | null {
  try {
    const value: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (!isJson(value)) return null;
    const { startedAt, writtenMs, place } = value;
    const note = toNote(value.note);
    if (note === null) return null;
    return {
      startedAt: typeof startedAt === "string" ? startedAt : null,
      place: isPlace(place) ? place : null,
      writtenMs: typeof writtenMs === "number" ? writtenMs : 0,
      note,
    };
  } catch {
    return null;
  }
}

function isPlace(value: unknown): value is ProcessPlace {
  return isJson(value) && [value.host, value.boot, value.namespace].every((one) => typeof one === "string");
}

function toNote(value: unknown): Note | null {
  if (!isJson(value)) return null;
  const { how, path, size, text, trashId, agent, sessionId, location, besides, key, title } = value;
  if (how === "trash" || how === "restore" || how === "empty")
    return isTrashId(trashId) ? { how, trashId } : null;
  if (typeof path !== "string") return null;
  if (how === "append")
    return typeof size === "number" && typeof text === "string" ? { how, path, size, text } : null;
  if (!isAgentName(agent) || typeof sessionId !== "string" || !Array.isArray(besides)) return null;
  const named = { agent, sessionId, path, besides: besides.filter(isBesideFile) };
  if (how === "rename") return typeof title === "string" ? { how, ...named, title } : null;
  if (how !== "place" || typeof location !== "string") return null;
  return { how, ...named, location, key: typeof key === "string" ? key : null };
}

/**
 * True for a name of a folder in the form that `moveToTrash` makes. The name is checked because settling removes that
 * folder.
 */
function isTrashId(value: unknown): value is string {
  return typeof value === "string" && /^\d[\w.-]*$/u.test(value);
}

function isBesideFile(value: unknown): value is SideFile {
  if (!isJson(value) || typeof value.path !== "string" || typeof value.text !== "string") return false;
  return value.how === "append" || value.how === "create";
}
