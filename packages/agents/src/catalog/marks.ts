/**
 * The marks that a person sets on sessions of this machine: pinned, archived, and tags; and the machine to which a
 * session was moved. They are stored in `marks.json` of `CONTINUO_HOME` under the names of the sessions, so that no
 * file of an agent changes. Fields of a later version are kept as they are.
 */

import { join } from "node:path";
import { ContinuoError, shellWord } from "@continuo/core/model";
import type { MarkRequest, SessionMarks } from "@continuo/core/wire/machine";
import {
  continuoHome,
  isJson,
  type Json,
  lockSession,
  type Places,
  readJsonFile,
  recordFile,
} from "@continuo/files";
import { CATALOG_LIMITS } from "./limits.ts";
import { earlierNames } from "./moves.ts";
import { type ListedSession, type NativeName, nativeKey, type OwnRow, type RemoteLocation } from "./rows.ts";

/** The marks of all sessions, as they were when they were read. */
export interface MarkTable {
  /** The row with its marks, if it has any. */
  readonly mark: (row: ListedSession) => ListedSession;
  /** True for a native session that was archived here. */
  readonly isArchived: (session: NativeName) => boolean;
}

const VERSION = 1;
const FILE = {
  what: "marks",
  hint: "Delete the file, and mark the sessions again.",
  maxBytes: CATALOG_LIMITS.markBytes,
};
const NO_MARKS: SessionMarks = { pinned: false, tags: [] };
/** Tags contain neither a comma nor a space, because they are used in URLs and among the words of a command. */
const TAG = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._/-]{0,39}$/u;

/** If the file cannot be read, there are no marks; only a change reports the error. */
export function readMarks(places: Places): MarkTable {
  const sessions = sessionsIn(readJsonFile(pathOf(places), FILE) ?? {});
  return {
    mark: (row) => {
      const name = namesOf(row).find((one) => Object.hasOwn(sessions, one));
      if (name === undefined) return row;
      const movedTo = toMovedTo(sessions[name]);
      return {
        ...row,
        archived: row.archived || isArchived(sessions[name]),
        marks: toMarks(sessions[name]),
        ...(movedTo !== null && { movedTo }),
      };
    },
    isArchived: (session) => isArchived(sessions[nativeKey(session)]),
  };
}

/** An own session without marks of its own has those of one of its native sessions. */
export type MarkedSession = NativeName | OwnRow;

export interface MarkOptions {
  readonly places: Places;
  readonly signal?: AbortSignal;
}

/** Errors: `invalid` for an invalid tag and for too many tags; `corrupt`, `busy`, `unwritable`. */
export async function markSession(
  session: MarkedSession,
  { pinned, addTags = [], removeTags = [] }: MarkRequest,
  options: MarkOptions,
): Promise<SessionMarks> {
  const [added, removed] = [addTags.map(toTag), removeTags.map(toTag)];
  const entry = await changeEntry(session, options, (old) => {
    const before = toMarks(old);
    const tags = new Set([...before.tags, ...added].filter((tag) => !removed.includes(tag)));
    if (tags.size > CATALOG_LIMITS.tags) throw tooManyTags();
    const { pinned: _pinned, tags: _tags, ...later } = old;
    return {
      ...later,
      ...((pinned ?? before.pinned) && { pinned: true }),
      ...(tags.size > 0 && { tags: [...tags].sort() }),
    };
  });
  return toMarks(entry);
}

/**
 * An archived session is only in lists that ask for it; `false` reverts this. Errors: `corrupt`, `busy`, `unwritable`.
 */
export async function markArchived(
  session: MarkedSession,
  archived: boolean,
  options: MarkOptions,
): Promise<void> {
  await changeEntry(session, options, ({ archived: _old, ...others }) => ({
    ...others,
    ...(archived && { archived }),
  }));
}

/**
 * Records that the session is on another machine now; `null` removes the record. Errors: `corrupt`, `busy`,
 * `unwritable`.
 */
export async function markMoved(
  session: MarkedSession,
  movedTo: RemoteLocation | null,
  options: MarkOptions,
): Promise<void> {
  await changeEntry(session, options, ({ movedTo: _old, ...others }) =>
    movedTo === null ? others : { ...others, movedTo: { ...movedTo } },
  );
}

/** The machine that a session was moved to; `null` for a session on this machine. */
export function movedToOf(session: MarkedSession, places: Places): RemoteLocation | null {
  const sessions = sessionsIn(readJsonFile(pathOf(places), FILE) ?? {});
  const name = namesOf(session).find((one) => Object.hasOwn(sessions, one));
  return name === undefined ? null : toMovedTo(sessions[name]);
}

/**
 * Refuses a session that was moved: otherwise two machines could continue one conversation in two ways. Errors:
 * `conflict`.
 */
export function refuseMoved({ agent, sessionId }: NativeName, places: Places): void {
  const moved = movedToOf({ agent, sessionId }, places);
  if (moved === null) return;
  throw new ContinuoError(
    "conflict",
    `the session was moved to ${moved.machine}, as ${moved.agent}:${moved.sessionId}`,
    {
      hint: `Continue it there, or here after \`continuo move ${shellWord(`${agent}:${sessionId}`)} --take-back\`.`,
    },
  );
}

/** Returns the entry after the change. */
async function changeEntry(
  session: MarkedSession,
  { places, signal }: MarkOptions,
  change: (entry: Json) => Json,
): Promise<Json> {
  const file = recordFile(pathOf(places), FILE);
  const lock = await lockSession("/marks", "marks", { places, waitMs: CATALOG_LIMITS.markMs, signal });
  try {
    const record = file.read();
    const sessions = sessionsIn(record);
    const [name = "", ...others] = namesOf(session);
    const known = [name, ...others].find((one) => Object.hasOwn(sessions, one));
    const entry = known === undefined ? undefined : sessions[known];
    const kept = change(isJson(entry) ? entry : {});
    const next: Record<string, unknown> = { ...sessions };
    // After a session moved, its marks are under its present name.
    if (known !== undefined) delete next[known];
    if (Object.keys(kept).length > 0) next[name] = kept;
    if (JSON.stringify(next) !== JSON.stringify(sessions)) file.write({ ...record, sessions: next });
    return kept;
  } finally {
    lock.release();
  }
}

/** Returns the tag in its stored form. Errors: `invalid`. */
export function toTag(text: string): string {
  const tag = text.trim().normalize("NFC").toLowerCase();
  if (TAG.test(tag)) return tag;
  throw new ContinuoError("invalid", `${JSON.stringify(text.slice(0, 60))} is not a tag`, {
    hint: "Write a tag of letters, digits, and ._/- after the first one, with at most 40 characters.",
  });
}

function tooManyTags(): ContinuoError {
  return new ContinuoError("invalid", `a session has at most ${CATALOG_LIMITS.tags} tags`, {
    hint: "Delete a tag first: `continuo session tag ID --remove TAG`.",
  });
}

/** The present name is first; for an own session, the names of its native sessions follow. */
function namesOf(session: MarkedSession): readonly string[] {
  return [session, ...("importedFrom" in session ? earlierNames(session) : [])].map(nativeKey);
}

function toMarks(entry: unknown): SessionMarks {
  if (!isJson(entry)) return NO_MARKS;
  const { pinned, tags } = entry;
  const known = Array.isArray(tags) ? tags.filter((tag) => typeof tag === "string" && TAG.test(tag)) : [];
  return { pinned: pinned === true, tags: known.slice(0, CATALOG_LIMITS.tags) };
}

function isArchived(entry: unknown): boolean {
  return isJson(entry) && entry.archived === true;
}

function toMovedTo(entry: unknown): RemoteLocation | null {
  const moved = isJson(entry) && isJson(entry.movedTo) ? entry.movedTo : {};
  const { machine, agent, sessionId, cwd, at } = moved;
  const texts = [machine, agent, sessionId, cwd, at].filter((one) => typeof one === "string");
  const [where = "", whose = "", id = "", folder = "", when = ""] = texts;
  return texts.length < 5 ? null : { machine: where, agent: whose, sessionId: id, cwd: folder, at: when };
}

function sessionsIn({ version, sessions }: Json): Json {
  return version === VERSION && isJson(sessions) ? sessions : {};
}

function pathOf(places: Places): string {
  return join(continuoHome(places), "marks.json");
}
