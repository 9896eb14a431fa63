/** A part of a file that is known only from its edits: a line, a gap of unknown lines, or a removed line. */

import type { Hunk, HunkLine } from "./hunks.ts";

export type Piece =
  | { readonly type: "gap"; readonly lines: number }
  | { readonly type: "line"; readonly text: string; readonly isAdded: boolean }
  /** A removed line has no length, and marks its former place. */
  | { readonly type: "removed"; readonly text: string };

/** A place is the index of a piece, and the number of lines of this piece that come before the place. */
export interface PiecePosition {
  readonly index: number;
  readonly lines: number;
}

/**
 * Finds the place of a hunk by its line number, or else by its lines, and returns it with the hunk in whole lines;
 * `null` if the place is not known.
 */
export function locate(
  pieces: readonly Piece[],
  hunk: Hunk,
): (PiecePosition & { readonly hunk: Hunk }) | null {
  const old = hunk.lines.filter(({ sign }) => sign !== "+").map(({ text }) => text);
  const numbered = hunk.at === null ? null : placeOfLine(pieces, hunk.at);
  if (numbered !== null && fits(pieces, numbered, old, "gaps too")) return { ...numbered, hunk };
  if (old.length === 0) return null;
  for (let index = 0; index < pieces.length; index++) {
    const place = { index, lines: 0 };
    if (pieces[index]?.type !== "line") continue;
    if (fits(pieces, place, old, "known lines only")) return { ...place, hunk };
    const whole = hunk.isPartial === true ? wholeHunk(pieces, index, hunk, old) : null;
    if (whole !== null) return { ...place, hunk: whole };
  }
  return null;
}

function placeOfLine(pieces: readonly Piece[], number: number): PiecePosition | null {
  let before = number - 1;
  for (const [index, piece] of pieces.entries()) {
    if (piece.type === "removed") continue;
    const lines = piece.type === "gap" ? piece.lines : 1;
    if (before < lines) return { index, lines: before };
    before -= lines;
  }
  return before === 0 ? { index: pieces.length, lines: 0 } : null;
}

function fits(
  pieces: readonly Piece[],
  { index, lines: into }: PiecePosition,
  old: readonly string[],
  which: "gaps too" | "known lines only",
): boolean {
  let [at, offset] = [index, into];
  for (const text of old) {
    while (pieces[at]?.type === "removed") at += 1;
    const piece = pieces[at];
    if (piece === undefined || piece.type === "removed") return false;
    if (piece.type === "line") {
      if (piece.text !== text) return false;
      at += 1;
    } else {
      if (which === "known lines only") return false;
      offset += 1;
      if (offset >= piece.lines) [at, offset] = [at + 1, 0];
    }
  }
  return true;
}

/** A replaced text can begin and end within a line; the other parts of these lines stay. */
function wholeHunk(pieces: readonly Piece[], index: number, hunk: Hunk, old: readonly string[]): Hunk | null {
  const lines: string[] = [];
  for (let at = index; at < pieces.length && lines.length < old.length; at++) {
    const piece = pieces[at];
    if (piece?.type === "gap") return null;
    if (piece?.type === "line") lines.push(piece.text);
  }
  const [first = "", last = ""] = [lines[0], lines.at(-1)];
  if (lines.length < old.length) return null;
  const isOne = old.length === 1;
  const start = isOne ? first.indexOf(old[0] ?? "") : first.length - (old[0]?.length ?? 0);
  const end = isOne ? start + (old[0]?.length ?? 0) : (old.at(-1)?.length ?? 0);
  const fitsBetween = old.slice(1, -1).every((text, at) => text === lines[at + 1]);
  const fitsEnds = isOne ? start >= 0 : first.endsWith(old[0] ?? "") && last.startsWith(old.at(-1) ?? "");
  if (!fitsBetween || !fitsEnds) return null;
  const [head, tail] = [first.slice(0, start), last.slice(end)];
  const fresh = hunk.lines.filter(({ sign }) => sign !== "-").map(({ text }) => text);
  const after = fresh.length === 0 ? [head + tail] : fresh;
  const whole = after.map(
    (text, at) =>
      (at === 0 && fresh.length > 0 ? head : "") +
      text +
      (at === after.length - 1 && fresh.length > 0 ? tail : ""),
  );
  return {
    at: null,
    lines: [
      ...lines.map((text): HunkLine => ({ sign: "-", text })),
      ...whole.map((text): HunkLine => ({ sign: "+", text })),
    ],
  };
}
