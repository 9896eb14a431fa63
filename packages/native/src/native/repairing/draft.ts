/** The lines of a file during a repair. */

import type { Json } from "@continuo/files";
import { exactLike } from "./exact.ts";

export interface DraftLine {
  /** 1-based; for an added line, the line before it. */
  readonly line: number;
  /** The original bytes with the line end; `null` for a line that was added. */
  readonly origin: Buffer | null;
  /** The original text without the line end. */
  readonly before: string | null;
  /** The present text. */
  after: string | null;
  /** `null` for a blank line. */
  value: Json | null;
  /** The original `value`. */
  readonly read: Json | null;
  readonly reasons: string[];
  /** The number of removed results without a waiting call. */
  droppedResults: number;
  /** Lines that were added directly in front of it, in order. */
  readonly ahead: RecordLine[];
  /** Lines that were added directly after it, in reverse order. */
  readonly behind: RecordLine[];
}

export interface RepairDraft {
  /** The lines in their original order. */
  readonly lines: readonly DraftLine[];
  /** Lines that were added at the beginning, in reverse order. */
  readonly first: RecordLine[];
}

/** A changed record. */
export interface RepairEdit {
  readonly type: "removed" | "added" | "changed";
  /** 1-based line of the old record; an added one follows this line, 0 at the beginning. `null` for rows. */
  readonly line: number | null;
  readonly row?: string;
  readonly reason: string;
  readonly before: string | null;
  readonly after: string | null;
}

export type RecordLine = DraftLine & { value: Json };

/** The lines of the draft that are records and were not removed, in order. */
export function remainingLines(draft: RepairDraft): RecordLine[] {
  return linesOf(draft).filter((line): line is RecordLine => line.value !== null && line.after !== null);
}

/** All lines in order, with added ones after the line that they follow; an added line may follow another added line. */
export function linesOf({ first, lines }: RepairDraft): DraftLine[] {
  const ordered: DraftLine[] = [];
  const open: { readonly line: DraftLine; readonly isOpened: boolean }[] = [];
  const toOpen = (line: DraftLine): void => {
    open.push({ line, isOpened: false });
  };
  for (const root of [...first.toReversed(), ...lines]) {
    toOpen(root);
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const { line, isOpened } = next;
      if (isOpened || line.ahead.length + line.behind.length === 0) {
        ordered.push(line);
        continue;
      }
      line.behind.forEach(toOpen);
      open.push({ line, isOpened: true });
      line.ahead.toReversed().forEach(toOpen);
    }
  }
  return ordered;
}

export function remove(line: DraftLine, reason: string): void {
  line.after = null;
  line.reasons.push(reason);
}

export function change(line: DraftLine, value: Json, reason: string): void {
  line.value = value;
  rewrite(line, reason);
}

/** Writes the same record again, in other bytes. */
export function rewrite(line: DraftLine, reason: string): void {
  line.after = escapeSeparators(JSON.stringify(exactLike(line.value, line.read)));
  if (!line.reasons.includes(reason)) line.reasons.push(reason);
}

/** @param line the line before it; `null` for the beginning. */
export function addBehind(
  draft: RepairDraft,
  line: DraftLine | null,
  value: Json,
  reason: string,
): RecordLine {
  const made = newLine(line?.line ?? 0, value, reason);
  (line?.behind ?? draft.first).push(made);
  return made;
}

/** @param line the line that follows it. */
export function addBefore(line: DraftLine, value: Json, reason: string): RecordLine {
  const made = newLine(line.origin === null ? line.line : line.line - 1, value, reason);
  line.ahead.push(made);
  return made;
}

/** Moves a record from a wrong place, without a change. @param behind as with `addBehind` */
export function moveBehind(
  draft: RepairDraft,
  behind: DraftLine | null,
  line: RecordLine,
  reason: string,
): RecordLine {
  const { after, value, read } = line;
  const moved = { ...newLine(behind?.line ?? 0, value, reason), after, read };
  (behind?.behind ?? draft.first).push(moved);
  remove(line, reason);
  return moved;
}

function newLine(line: number, value: Json, reason: string): RecordLine {
  const after = escapeSeparators(JSON.stringify(value));
  const was = { line, origin: null, before: null, read: null };
  return { ...was, after, value, reasons: [reason], droppedResults: 0, ahead: [], behind: [] };
}

/** Some agents split lines at U+2028 and U+2029. */
function escapeSeparators(json: string): string {
  return json.replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

/** Counts the results that are removed because no call waits for them. */
export function droppedResultsOf(draft: RepairDraft): number {
  return draft.lines.reduce((sum, { droppedResults }) => sum + droppedResults, 0);
}

export function editsOf(draft: RepairDraft): RepairEdit[] {
  return linesOf(draft).flatMap(({ line, before, after, reasons }): RepairEdit[] => {
    const reason = reasons.join("; ");
    // A line that was added and removed again never existed.
    if (reasons.length === 0 || (before === null && after === null)) return [];
    const type = before === null ? "added" : after === null ? "removed" : "changed";
    return [{ type, line, reason, before, after }];
  });
}
