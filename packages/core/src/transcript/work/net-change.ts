/**
 * The net change of all edits of a file: the lines that it gained and lost between the beginning and the end. The file is
 * modelled as far as the edits show it, so that a line which was added and removed again counts nowhere. Pure.
 */

import type { FileEdit } from "./file-edit.ts";
import { compareLines, type Hunk, type HunkLine } from "./hunks.ts";
import { locate, type Piece, type Place } from "./pieces.ts";

export interface NetChange {
  readonly status: "created" | "changed" | "deleted";
  readonly added: number;
  readonly removed: number;
  /** `part` if lines were replaced that are not known. */
  readonly known: "all" | "part";
}

export interface NetFold {
  apply(edit: FileEdit): void;
  /** `null` if the file is as it was. */
  finish(): NetChange | null;
}

/** After looking at this many pieces, later edits of the file are counted one by one. */
const MAX_VISITS = 3_000_000;

export function createNetFold(): NetFold {
  let pieces: Piece[] = [{ type: "gap", lines: Number.POSITIVE_INFINITY }];
  let isNew: boolean | null = null;
  let isThere = true;
  let known: NetChange["known"] = "all";
  const single = { added: 0, removed: 0 };
  let visits = 0;
  const textNow = (): readonly string[] | null => {
    if (pieces.some(({ type }) => type === "gap")) return null;
    return pieces.flatMap((piece) => (piece.type === "line" ? [piece.text] : []));
  };
  const write = ({ hunks }: FileEdit, isKnownNew: boolean): void => {
    const after = (hunks[0]?.lines ?? []).map(({ text }) => text);
    const before = isThere ? textNow() : [];
    if (isKnownNew && isNew === null) pieces = [];
    else if (before === null) {
      // The lines in the gaps are not known, so that they cannot be counted as removed.
      known = "part";
      pieces = pieces.filter(({ type }) => type === "removed");
    } else {
      pieces = applyAt(pieces, { at: 1, lines: compareLines(before, after) }, { index: 0, lines: 0 });
      return;
    }
    pieces = [...pieces, ...after.map((text): Piece => ({ type: "line", text, isAdded: true }))];
  };
  const erase = (hunks: readonly Hunk[]): void => {
    const [hunk] = hunks;
    if (hunk !== undefined && textNow() === null && pieces.length === 1) {
      pieces = hunk.lines.map(({ text }): Piece => ({ type: "removed", text }));
      return;
    }
    if (textNow() === null) known = "part";
    pieces = pieces.flatMap((piece): Piece[] => {
      if (piece.type === "removed") return [piece];
      return piece.type === "line" && !piece.isAdded ? [{ type: "removed", text: piece.text }] : [];
    });
  };
  return {
    apply(edit) {
      const { kind, hunks } = edit;
      visits += pieces.length * Math.max(1, hunks.length);
      if (visits > MAX_VISITS) {
        single.added += count(hunks, "+");
        single.removed += count(hunks, "-");
        known = "part";
      } else if (kind === "delete") erase(hunks);
      else if (kind === "edit") for (const hunk of hunks) pieces = applyHunk(pieces, hunk);
      else write(edit, kind === "create");
      isNew ??= kind === "create";
      isThere = kind !== "delete";
    },
    finish() {
      const counts = countPieces(pieces);
      const [added, removed] = [counts.added + single.added, counts.removed + single.removed];
      const status = !isThere ? "deleted" : isNew === true ? "created" : "changed";
      const isUndone = isNew === true && !isThere;
      if (isUndone || (status === "changed" && added + removed === 0 && known === "all")) return null;
      return { status, added, removed, known };
    },
  };
}

function count(hunks: readonly Hunk[], sign: HunkLine["sign"]): number {
  return hunks.reduce((sum, { lines }) => sum + lines.filter((line) => line.sign === sign).length, 0);
}

function applyHunk(pieces: readonly Piece[], hunk: Hunk): Piece[] {
  const found = locate(pieces, hunk);
  if (found !== null) return applyAt(pieces, found.hunk, found);
  // The place is not known: the hunk becomes a piece of the file behind a gap.
  const end: Place = { index: pieces.length, lines: 0 };
  const island: Piece = { type: "gap", lines: Number.POSITIVE_INFINITY };
  return applyAt([...pieces, island], hunk, { ...end, index: end.index + 1 });
}

/** Replaces what stands at the place; a line that is not known there becomes known by the hunk. */
function applyAt(pieces: readonly Piece[], { lines }: Hunk, { index, lines: into }: Place): Piece[] {
  const made: Piece[] = pieces.slice(0, index);
  const rest = pieces.slice(index);
  let offset = into;
  /** Takes the next line of the file; `null` where nothing is known any more. */
  const take = (): (Piece & { type: "line" }) | "unknown" => {
    for (;;) {
      const [piece] = rest;
      if (piece === undefined) return "unknown";
      if (piece.type === "gap") {
        if (offset > 0) made.push({ type: "gap", lines: offset });
        const left = piece.lines - offset - 1;
        offset = 0;
        if (left > 0) rest[0] = { type: "gap", lines: left };
        else rest.shift();
        return "unknown";
      }
      rest.shift();
      if (piece.type === "line") return piece;
      made.push(piece);
    }
  };
  for (const { sign, text } of lines) {
    if (sign === "+") {
      const [piece] = rest;
      if (offset > 0 && piece?.type === "gap") {
        made.push({ type: "gap", lines: offset });
        rest[0] = { type: "gap", lines: piece.lines - offset };
        offset = 0;
      }
      made.push({ type: "line", text, isAdded: true });
      continue;
    }
    const taken = take();
    const isAdded = taken !== "unknown" && taken.isAdded;
    if (sign === " ") made.push(taken === "unknown" ? { type: "line", text, isAdded: false } : taken);
    else if (!isAdded) made.push({ type: "removed", text });
  }
  const [piece] = rest;
  if (offset > 0 && piece?.type === "gap") {
    made.push({ type: "gap", lines: offset });
    rest[0] = { type: "gap", lines: piece.lines - offset };
  }
  return [...made, ...rest];
}

/** Lines that stand removed and added at one place, and are the same, were put back. */
function countPieces(pieces: readonly Piece[]): { readonly added: number; readonly removed: number } {
  const total = { added: 0, removed: 0 };
  let [old, fresh]: [string[], string[]] = [[], []];
  const settle = (): void => {
    const lines = old.length === 0 || fresh.length === 0 ? null : compareLines(old, fresh);
    total.added += lines === null ? fresh.length : lines.filter(({ sign }) => sign === "+").length;
    total.removed += lines === null ? old.length : lines.filter(({ sign }) => sign === "-").length;
    [old, fresh] = [[], []];
  };
  for (const piece of pieces) {
    if (piece.type === "removed") old.push(piece.text);
    else if (piece.type === "line" && piece.isAdded) fresh.push(piece.text);
    else settle();
  }
  settle();
  return total;
}
