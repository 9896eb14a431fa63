/** A part of a session at a position of the log, and the steps between positions. Pure. */

import type { Item, LivePart, Notes, NoteVersion } from "./fold.ts";

/** True if the part knows the notes at this position. */
export function hasPlace({ from, to }: LivePart, at: number): boolean {
  return at >= from && at <= to;
}

/** The items up to this sequence; all items if it is `null`. */
export function itemsAt({ items }: LivePart, at: number | null): readonly Item[] {
  return at === null ? items : items.slice(0, indexAfter(items, at));
}

/** Returns the notes that are not archived, in the order of the medium. */
export function shownNotes(notes: Notes): readonly NoteVersion[] {
  return [...notes.values()]
    .filter(({ status }) => status !== "archived")
    .sort((a, b) => a.startMs - b.startMs || (a.noteId < b.noteId ? -1 : 1));
}

/**
 * The position one item later or earlier; `null` is the end, which moves with the log. `older` and `newer`: the part
 * ends before that item.
 */
export function stepFrom(part: LivePart, at: number | null, step: 1 | -1): number | "older" | "newer" | null {
  const { items, hasOlder, hasNewer } = part;
  if (at === null && hasNewer) return "newer";
  const next = (at === null ? items.length : indexAfter(items, at)) + step;
  if (next >= items.length && !hasNewer) return null;
  if (next > items.length) return "newer";
  if (next <= 0 && hasOlder) return "older";
  return next <= 0 ? 0 : (items[next - 1]?.sequence ?? 0);
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
