/** Puts a new session, which was read back elsewhere, where its agent looks for it. */

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { type AgentName, isContinuoError } from "@continuo/core/model";
import type { Json, Places } from "@continuo/files";
import { formatOf } from "../../native/index.ts";
import {
  type NativeWriter,
  type NewSession,
  type RecordSink,
  type SideFile,
  writeBeside,
} from "../../native/writing/index.ts";
import { notesLeft, type PlaceNote, type UnfinishedNote, underNote } from "./notes.ts";
import { addText, settlePlaced } from "./settle-files.ts";

export interface PlaceOptions {
  readonly writer: NativeWriter<unknown>;
  readonly session: NewSession;
  readonly file: string;
  readonly records: Iterable<Json>;
  readonly places: Places;
  /** The key from `attemptKey`. */
  readonly key: string | null;
  /** Files of the session's sub-agents, which come after it. */
  readonly children?: readonly SideFile[];
  /** Already open if the caller continues the session. */
  readonly sink?: RecordSink;
  /** Records further facts together with the session, under the same note. */
  readonly around?: (place: () => Promise<void>) => Promise<void>;
}

/**
 * Marks of a folder are written before the session, titles after it, because neither does harm without the session. Returns the
 * location.
 *
 * Errors: `unwritable`, `unsupported`, `conflict`.
 */
export async function placeSession(placing: PlaceOptions): Promise<string> {
  const { writer, session, file, places, key, children = [] } = placing;
  const { sessionId } = session;
  const besides = [...(writer.besideNew?.(session, file) ?? []), ...children];
  const location = writer.locationOf(file, sessionId);
  const note: PlaceNote = {
    how: "place",
    agent: writer.agent,
    sessionId,
    location,
    path: file,
    besides,
    key,
  };
  const place = async (): Promise<void> => {
    for (const beside of besides) if (!isAppend(beside)) writeBeside(beside);
    await createRecords(placing);
    for (const beside of besides) if (isAppend(beside)) addText(beside);
  };
  await underNote(places, note, () => (placing.around === undefined ? place() : placing.around(place)));
  return location;
}

/** A sink that was opened here is also closed under the note, because a database may then end its write-ahead log. */
async function createRecords({ writer, session, file, records, places, sink }: PlaceOptions): Promise<void> {
  if (sink !== undefined) return sink.create(records);
  const own = await writer.openSink(file, session.sessionId, places);
  try {
    own.create(records);
  } finally {
    own.close();
  }
}

function isAppend({ how }: SideFile): boolean {
  return how === "append";
}

/** The key is the same for the same request. */
export function attemptKey(...wish: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(wish)).digest("hex");
}

export interface Placement {
  readonly agent: AgentName;
  readonly sessionId: string;
  readonly location: string;
}

/**
 * Returns the session that a killed process placed for the same request; `null` if it did not place one, or there was
 * no such request. `unplaced` are the ids of sessions that such a process did not place.
 */
export async function takeFirstAttempt(
  key: string,
  places: Places,
): Promise<{ readonly placed: Placement | null; readonly unplaced: readonly string[] }> {
  let placed: Placement | null = null;
  const unplaced: string[] = [];
  for (const left of notesLeft(places)) {
    const { note } = left;
    if (note.how !== "place" || note.key !== key) continue;
    if (await finishPlaced(note, left, places)) placed = note;
    else unplaced.push(note.sessionId);
    left.remove();
  }
  return { placed, unplaced };
}

/** Returns true if the session exists. */
export async function finishPlaced(
  note: PlaceNote,
  { pid }: UnfinishedNote,
  places: Places,
): Promise<boolean> {
  const isThere = await isPlaced(note, places);
  settlePlaced(note, pid, isThere);
  return isThere;
}

async function isPlaced({ agent, path, location, sessionId }: PlaceNote, places: Places): Promise<boolean> {
  if (!existsSync(path)) return false;
  try {
    return (await (await formatOf(agent)).recognise(location, places))?.sessionId === sessionId;
  } catch (error) {
    if (isContinuoError(error, "not_found")) return false;
    throw error;
  }
}
