/**
 * The net change of all edits of a file: the lines that it gained and lost between the beginning and the end. The file
 * is modelled as far as the edits show it, so that a line which was added and removed again does not count. Pure.
 */

import { type DiffLine, visibleLine } from "../render/index.ts";
import type { FileEdit } from "./file-edit.ts";
import { compareLines, type Hunk, type HunkLine } from "./hunks.ts";
import { locate, type Piece, type PiecePosition } from "./pieces.ts";

export interface NetChange {
  readonly status: "created" | "changed" | "deleted";
  readonly added: number;
  readonly removed: number;
  /** `part` if some of the replaced lines are not known. */
  readonly known: "all" | "part";
}

export interface NetFold {
  apply(edit: FileEdit): void;
  /** `null` if the file did not change. */
  finish(): NetChange | null;
  /** The changed lines with those around them, `…` for lines between them; `null` if there were too many edits. */
  lines(): readonly DiffLine[] | null;
}

/** If this many pieces were looked at, later edits of the file are counted one by one. */
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
      // The lines in the gaps are not known, so they cannot be counted as removed.
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
        single.added += countHunks(hunks, "+");
        single.removed += countHunks(hunks, "-");
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
    lines: () => (visits > MAX_VISITS ? null : shownLines(pieces)),
  };
}

function countHunks(hunks: readonly Hunk[], sign: HunkLine["sign"]): number {
  return hunks.reduce((sum, { lines }) => sum + countSigns(lines, sign), 0);
}

function countSigns(lines: readonly HunkLine[], sign: HunkLine["sign"]): number {
  return lines.filter((line) => line.sign === sign).length;
}

function applyHunk(pieces: readonly Piece[], hunk: Hunk): Piece[] {
  const found = locate(pieces, hunk);
  if (found !== null) return applyAt(pieces, found.hunk, found);
  // The place is not known: the hunk becomes a piece of the file after a gap.
  const end: PiecePosition = { index: pieces.length, lines: 0 };
  const island: Piece = { type: "gap", lines: Number.POSITIVE_INFINITY };
  return applyAt([...pieces, island], hunk, { ...end, index: end.index + 1 });
}

/** Replaces what is at the place; a line that is not known there becomes known by the hunk. */
function applyAt(pieces: readonly Piece[], { lines }: Hunk, { index, lines: into }: PiecePosition): Piece[] {
  const made: Piece[] = pieces.slice(0, index);
  const rest = pieces.slice(index);
  let offset = into;
  /** Takes the next line of the file; `unknown` if that line is not known. */
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

/** Returns the file with its changes. A line that was removed and added at the same place counts as unchanged. */
function comparedPieces(pieces: readonly Piece[]): readonly (HunkLine | (Piece & { type: "gap" }))[] {
  const all: (HunkLine | (Piece & { type: "gap" }))[] = [];
  let [old, fresh]: [string[], string[]] = [[], []];
  const settle = (): void => {
    for (const line of compareLines(old, fresh)) all.push(line);
    [old, fresh] = [[], []];
  };
  for (const piece of pieces) {
    if (piece.type === "removed") old.push(piece.text);
    else if (piece.type === "line" && piece.isAdded) fresh.push(piece.text);
    else {
      settle();
      all.push(piece.type === "gap" ? piece : { sign: " ", text: piece.text });
    }
  }
  settle();
  return all;
}

function countPieces(pieces: readonly Piece[]): { readonly added: number; readonly removed: number } {
  const lines = comparedPieces(pieces).filter((line) => "sign" in line);
  return { added: countSigns(lines, "+"), removed: countSigns(lines, "-") };
}

/** The number of lines that are shown around a change. */
const CONTEXT = 3;

function shownLines(pieces: readonly Piece[]): readonly DiffLine[] {
  const all: DiffLine[] = [];
  let [before, after] = [1, 1];
  for (const line of comparedPieces(pieces)) {
    if ("type" in line) {
      all.push(LEFT_OUT);
      [before, after] = [before + line.lines, after + line.lines];
      continue;
    }
    const { sign, text } = line;
    all.push({
      sign,
      text: visibleLine(text),
      ...(sign !== "+" && Number.isFinite(before) && { before }),
      ...(sign !== "-" && Number.isFinite(after) && { after }),
    });
    if (sign !== "+") before += 1;
    if (sign !== "-") after += 1;
  }
  const isNear = new Set<number>();
  for (const [at, { sign }] of all.entries()) {
    if (sign === " " || sign === "…") continue;
    for (let near = at - CONTEXT; near <= at + CONTEXT; near++) isNear.add(near);
  }
  const shown = all.map((line, at) => (isNear.has(at) ? line : LEFT_OUT));
  const isGap = (at: number): boolean => shown[at] === undefined || shown[at] === LEFT_OUT;
  return shown.filter(
    (line, at) => line !== LEFT_OUT || (!isGap(at - 1) && shown.slice(at).some((one) => one !== LEFT_OUT)),
  );
}

const LEFT_OUT: DiffLine = { sign: "…", text: "" };
