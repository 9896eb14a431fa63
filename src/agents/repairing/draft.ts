/** The lines of a file while they are mended. */

import type { Json } from "../reader/index.ts";

export interface DraftLine {
  /** 1-based; of what was added, the line that it stands behind. */
  readonly line: number;
  /** As it was, with its end; `null` for what was added. */
  readonly origin: Buffer | null;
  /** As it was, without its end. */
  readonly before: string | null;
  /** As it is now. */
  after: string | null;
  /** `null` for a blank line. */
  value: Json | null;
  readonly reasons: string[];
}

export interface Draft {
  readonly lines: DraftLine[];
}

/** One record that is not as it was. */
export interface RepairEdit {
  readonly type: "removed" | "added" | "changed";
  /** Of what was; what is added stands behind it, behind 0 at the beginning. `null` for rows. */
  readonly line: number | null;
  readonly row?: string;
  readonly reason: string;
  readonly before: string | null;
  readonly after: string | null;
}

export type RecordLine = DraftLine & { value: Json };

/** The records as they are now, in order. */
export function present({ lines }: Draft): RecordLine[] {
  return lines.filter((line): line is RecordLine => line.value !== null && line.after !== null);
}

export function remove(line: DraftLine, reason: string): void {
  line.after = null;
  line.reasons.push(reason);
}

export function change(line: DraftLine, value: Json, reason: string): void {
  line.value = value;
  rewrite(line, reason);
}

/** Writes the record anew as it is: the same, in other bytes. */
export function rewrite(line: DraftLine, reason: string): void {
  line.after = escapeSeparators(JSON.stringify(line.value));
  if (!line.reasons.includes(reason)) line.reasons.push(reason);
}

/** @param line the one that stands before it; `null` for the beginning. */
export function addBehind(draft: Draft, line: DraftLine | null, value: Json, reason: string): DraftLine {
  const at = line === null ? 0 : draft.lines.indexOf(line) + 1;
  const after = escapeSeparators(JSON.stringify(value));
  const added = { line: line?.line ?? 0, origin: null, before: null, after, value, reasons: [reason] };
  draft.lines.splice(at, 0, added);
  return added;
}

/** Some agents split lines at U+2028 and U+2029. */
function escapeSeparators(json: string): string {
  return json.replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

export function editsOf({ lines }: Draft): RepairEdit[] {
  return lines.flatMap(({ line, before, after, reasons }): RepairEdit[] => {
    const reason = reasons.join("; ");
    // What was added and taken out again was never there.
    if (reasons.length === 0 || (before === null && after === null)) return [];
    const type = before === null ? "added" : after === null ? "removed" : "changed";
    return [{ type, line, reason, before, after }];
  });
}
