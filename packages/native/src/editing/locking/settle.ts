/** Finishes or undoes the edits of killed processes, before the next edit begins, or before somebody reads. */

import { isFailure, type Problem } from "@continuo/core/model";
import { lockSession, type Places, removeLeftScratch, type WriterLock, writersOf } from "@continuo/files";
import {
  finishPlaced,
  finishTitle,
  type Note,
  notesLeft,
  settleAppend,
  type UnfinishedNote,
} from "../placing/index.ts";
import { settleEmpty, settleRestore, settleTrash } from "../trash/index.ts";

export interface SettleOptions {
  readonly places: Places;
  /** The session's file, if the caller has the lock of this file; `null` if the caller has no lock. */
  readonly file?: string | null;
  readonly signal?: AbortSignal | undefined;
}

const LOCK_WAIT_MS = 30_000;
/** The wait is shorter for a caller that only reads: it waits only for a process that is settling edits now. */
const READ_WAIT_MS = 5_000;
/** After this time, a repeated request gets another new session. */
const KEEP_MS = 24 * 60 * 60 * 1000;

/**
 * Settles unfinished edits, but no appends to files other than `file`: only a process with the lock of such a file
 * settles them. The note of a new session stays for a day, because the same request may be repeated.
 *
 * Errors: `busy`, `unwritable`.
 */
export async function settleUnfinished({ places, file = null, signal }: SettleOptions): Promise<void> {
  removeLeftScratch();
  if (notesLeft(places).length === 0) return;
  const lock = await lockNotes(places, LOCK_WAIT_MS, signal);
  try {
    for (const left of notesLeft(places)) {
      if (left.note.how !== "append" || left.note.path === file) await settle(left, places);
    }
  } finally {
    lock.release();
  }
}

/**
 * Finishes or undoes incomplete edits of killed processes for a command that only reads, in the same way as the next
 * edit. Returns the edits that cannot be settled now, because their session is open in its agent or the disk refuses.
 */
export async function settleBeforeReading({
  places,
  signal,
}: Omit<SettleOptions, "file">): Promise<readonly Problem[]> {
  if (notesLeft(places).length === 0) return [];
  let lock: WriterLock;
  try {
    lock = await lockNotes(places, READ_WAIT_MS, signal);
  } catch (error) {
    if (!isOfTheWorld(error)) throw error;
    return notesLeft(places).map(({ note }) => toProblem(note, error.message));
  }
  try {
    const problems: Problem[] = [];
    for (const left of notesLeft(places)) problems.push(...(await settleOrReport(left, places)));
    return problems;
  } finally {
    lock.release();
  }
}

async function settleOrReport(left: UnfinishedNote, places: Places): Promise<readonly Problem[]> {
  const { note } = left;
  // The end of a file must not be cut off while a program writes to it.
  if (note.how === "append" && writersOf([note.path])?.length !== 0)
    return [toProblem(note, "the session is open in its agent")];
  try {
    await settle(left, places);
    return [];
  } catch (error) {
    if (!isOfTheWorld(error)) throw error;
    return [toProblem(note, error.message)];
  }
}

function lockNotes(places: Places, waitMs: number, signal: AbortSignal | undefined): Promise<WriterLock> {
  return lockSession("/unfinished", "unfinished", { places, waitMs, signal });
}

async function settle(left: UnfinishedNote, places: Places): Promise<void> {
  const { note, pid } = left;
  switch (note.how) {
    case "append":
      settleAppend(note, pid);
      break;
    case "rename":
      await finishTitle(note, left);
      break;
    case "place":
      await finishPlaced(note, left, places);
      // The note is kept for a caller that repeats the request.
      if (note.key !== null && Date.now() - left.writtenMs < KEEP_MS) return;
      break;
    case "trash":
      await settleTrash(note, pid, places);
      break;
    case "restore":
      await settleRestore(note, pid, places);
      break;
    case "empty":
      settleEmpty(note, places);
      break;
  }
  left.remove();
}

/** Returns false for a mistake in our own code, which must be reported even to a caller that only reads. */
function isOfTheWorld(error: unknown): error is Error {
  return isFailure(error) || (error instanceof Error && "syscall" in error);
}

function toProblem(note: Note, why: string): Problem {
  return {
    code: "unfinished_edit",
    message: `${nameOf(note)} was cut off, and cannot be settled: ${why}`,
    line: null,
  };
}

function nameOf(note: Note): string {
  switch (note.how) {
    case "append":
      return `an append to ${note.path}`;
    case "rename":
      return `a rename of ${note.agent}:${note.sessionId}`;
    case "place":
      return `the creation of ${note.agent}:${note.sessionId}`;
    case "trash":
      return `the deletion or repair ${note.trashId}`;
    case "restore":
      return `the restoration of ${note.trashId}`;
    case "empty":
      return `the removal of ${note.trashId} from the trash`;
  }
}
