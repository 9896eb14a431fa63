/** A session at a position of its log, and the steps between positions. Pure. */

import type { Item, LiveLog, NoteHistory, NoteVersion } from "./fold.ts";

export interface ShownNote {
  readonly history: NoteHistory;
  readonly version: NoteVersion;
  /** The versions up to that position. */
  readonly versions: readonly NoteVersion[];
}

/** Items up to this sequence; all with `null`. */
export function itemsAt({ items }: LiveLog, at: number | null): readonly Item[] {
  return at === null ? items : items.slice(0, indexAfter(items, at));
}

/** The notes at that position, without archived ones, in the order of the medium. */
export function notesAt({ notes }: LiveLog, at: number | null): readonly ShownNote[] {
  const shown: ShownNote[] = [];
  for (const history of notes.values()) {
    const note = noteAt(history, at);
    if (note !== null && note.version.status !== "archived") shown.push(note);
  }
  return shown.sort(
    (a, b) => a.version.startMs - b.version.startMs || (a.history.noteId < b.history.noteId ? -1 : 1),
  );
}

/** `null` if the note was not written yet. */
export function noteAt(history: NoteHistory, at: number | null): ShownNote | null {
  const versions = at === null ? history.versions : history.versions.filter(({ sequence }) => sequence <= at);
  const version = versions.at(-1);
  return version === undefined ? null : { history, version, versions };
}

/** The position one item later or earlier; `null` is the end, which moves with the log. */
export function stepFrom({ items }: LiveLog, at: number | null, step: 1 | -1): number | null {
  const here = at === null ? items.length : indexAfter(items, at);
  const next = Math.max(0, here + step);
  if (next >= items.length) return null;
  return next === 0 ? 0 : (items[next - 1]?.sequence ?? 0);
}

/** The number of items up to the position; `placeOfCount` is the reverse. */
export function countAt({ items }: LiveLog, at: number | null): number {
  return at === null ? items.length : indexAfter(items, at);
}

export function placeOfCount({ items }: LiveLog, count: number): number | null {
  if (count >= items.length) return null;
  return count <= 0 ? 0 : (items[count - 1]?.sequence ?? null);
}

/** The index of the first item after the sequence. */
function indexAfter(items: readonly Item[], sequence: number): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((items[middle]?.sequence ?? 0) <= sequence) low = middle + 1;
    else high = middle;
  }
  return low;
}
