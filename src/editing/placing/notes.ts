/** Notes of edits that a process began: files below `CONTINUO_HOME/unfinished`, there for as long as the edit takes. */

import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import {
  continuoHome,
  isJson,
  isRunning,
  type Places,
  processStartOf,
  writeDurably,
} from "../../files/index.ts";
import { type AgentName, ContinuoError, isAgentName } from "../../model/index.ts";
import type { BesideFile } from "../../native/writing/index.ts";

/** A new session, which has its name when it is whole. */
export interface PlaceNote {
  readonly how: "place";
  readonly agent: AgentName;
  readonly sessionId: string;
  /** By which the agent's reader recognises it. */
  readonly location: string;
  /** The file, or the database. */
  readonly path: string;
  /** Marks that come before it, and lines of other files that follow when it is there. */
  readonly besides: readonly BesideFile[];
  /** Same for the same wish: by it a second attempt finds the first one. `null` where each wish is a new session. */
  readonly key: string | null;
}

/** `text` after the first `size` bytes. */
export interface AppendNote {
  readonly how: "append";
  readonly path: string;
  readonly size: number;
  readonly text: string;
  /** Nobody holds a lock for this file: it is settled as soon as somebody looks. */
  readonly unlocked?: true;
}

/** A session that goes to the trash, or whose old state does because a repaired one takes its place. */
export interface TrashNote {
  readonly how: "trash";
  readonly trashId: string;
}

/** A session that comes out of the trash. */
export interface RestoreNote {
  readonly how: "restore";
  readonly trashId: string;
}

export type Note = PlaceNote | AppendNote | TrashNote | RestoreNote;

export interface LeftNote {
  readonly note: Note;
  /** The process that wrote it. */
  readonly pid: number;
  /** Milliseconds since 1970. */
  readonly writtenMs: number;
  remove(): void;
}

/** Runs `edit` under a note. Errors: `unwritable`, and those of `edit`. */
export async function underNote<T>(places: Places, note: Note, edit: () => T | Promise<T>): Promise<T> {
  const end = beginNote(places, note);
  try {
    return await edit();
  } finally {
    end();
  }
}

let count = 0;

/** On disk when it returns. Gives what takes the note away. Errors: `unwritable`. */
export function beginNote(places: Places, note: Note): () => void {
  const folder = notesFolder(places);
  count += 1;
  const path = join(folder, `${process.pid}-${count}.json`);
  const end = (): void => rmSync(path, { force: true });
  try {
    writeDurably(
      path,
      JSON.stringify({ startedAt: processStartOf(process.pid), writtenMs: Date.now(), note }),
    );
  } catch (cause) {
    if (existsSync(folder)) end();
    throw new ContinuoError("unwritable", `cannot write ${path}: ${(cause as Error).message}`, {
      cause,
      hint: "Try again; nothing was changed.",
    });
  }
  return end;
}

/** Of processes that are gone, in no order. */
export function notesLeft(places: Places): readonly LeftNote[] {
  const folder = notesFolder(places);
  const left: LeftNote[] = [];
  for (const name of namesOf(folder)) {
    const [, digits, ending] = /^(\d+)-\d+\.json(.*)$/u.exec(name) ?? [];
    const path = join(folder, name);
    const pid = Number(digits);
    const remove = (): void => rmSync(path, { force: true });
    if (digits === undefined) continue;
    // A note that was not whole: nothing was begun under it.
    if (ending !== "") {
      if (isGone(pid)) remove();
      continue;
    }
    const read = readNote(path);
    if (read === null) {
      if (isGone(pid)) remove();
    } else if (isGone(pid, read.startedAt))
      left.push({ note: read.note, writtenMs: read.writtenMs, pid, remove });
  }
  return left;
}

/** @param startedAt of `processStartOf`: another process may have the number by now. */
export function isGone(pid: number, startedAt: string | null = null): boolean {
  if (!isRunning(pid)) return true;
  return startedAt !== null && processStartOf(pid) !== startedAt;
}

function notesFolder(places: Places): string {
  return join(continuoHome(places), "unfinished");
}

function namesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(String((error as NodeJS.ErrnoException).code))) return [];
    throw error;
  }
}

interface ReadNote {
  readonly startedAt: string | null;
  readonly writtenMs: number;
  readonly note: Note;
}

/** `null` for what is none of ours, or gone since. */
function readNote(path: string): ReadNote | null {
  try {
    const value: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (!isJson(value)) return null;
    const { startedAt, writtenMs } = value;
    const note = toNote(value.note);
    if (note === null) return null;
    return {
      startedAt: typeof startedAt === "string" ? startedAt : null,
      writtenMs: typeof writtenMs === "number" ? writtenMs : 0,
      note,
    };
  } catch {
    return null;
  }
}

function toNote(value: unknown): Note | null {
  if (!isJson(value)) return null;
  const { how, path, size, text, trashId, agent, sessionId, location, besides, key, unlocked } = value;
  if (how === "trash" || how === "restore") return isTrashId(trashId) ? { how, trashId } : null;
  if (typeof path !== "string") return null;
  if (how === "append") {
    if (typeof size !== "number" || typeof text !== "string") return null;
    return unlocked === true ? { how, path, size, text, unlocked } : { how, path, size, text };
  }
  if (how !== "place" || !isAgentName(agent) || !Array.isArray(besides)) return null;
  if (typeof sessionId !== "string" || typeof location !== "string") return null;
  const files = besides.filter(isBesideFile);
  return { how, agent, sessionId, location, path, besides: files, key: typeof key === "string" ? key : null };
}

/** The name of one folder, as `moveToTrash` makes it: what settles a note removes that folder. */
function isTrashId(value: unknown): value is string {
  return typeof value === "string" && /^\d[\w.-]*$/u.test(value);
}

function isBesideFile(value: unknown): value is BesideFile {
  if (!isJson(value) || typeof value.path !== "string" || typeof value.text !== "string") return false;
  return value.how === "append" || value.how === "create";
}
