/**
 * Hunks: pieces of a file with the lines that a change adds and removes. They are read from unified diffs and from
 * pairs of texts. Pure.
 */

import { commonLines } from "../render/index.ts";

export interface HunkLine {
  readonly sign: " " | "-" | "+";
  readonly text: string;
}

export interface Hunk {
  /** 1-based number of the first line in the file after the change; `null` if it is not known. */
  readonly at: number | null;
  readonly lines: readonly HunkLine[];
  /** The first and the last line may be parts of lines of the file. */
  readonly isPartial?: true;
}

/** The hunks of one file in a text that can hold several files. */
export interface DiffOfFile {
  /** The name in the text, without `a/` and `b/`; `null` for hunks without names. */
  readonly path: string | null;
  readonly hunks: readonly Hunk[];
}

const HEADER = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@/u;

/** The files of a unified diff; empty if the text is not a diff. */
export function parseUnifiedDiff(text: string): readonly DiffOfFile[] {
  const lines = linesOf(text);
  const files: { path: string | null; hunks: Hunk[] }[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    if (line.startsWith("--- ") && lines[at + 1]?.startsWith("+++ ") === true) {
      files.push({ path: pathOf(line, lines[at + 1] ?? ""), hunks: [] });
      at += 1;
      continue;
    }
    const header = HEADER.exec(line);
    if (header === null) continue;
    if (files.length === 0) files.push({ path: null, hunks: [] });
    const [, , before = "1", start = "1", after = "1"] = header;
    const { hunk, next } = hunkAt(lines, at + 1, [Number(before), Number(after)]);
    // If a hunk has no lines in the new file, its header gives the number of the line before it.
    const first = Number(start) + (Number(after) === 0 ? 1 : 0);
    files.at(-1)?.hunks.push({ at: first, lines: hunk });
    at = next - 1;
  }
  return files.filter(({ hunks }) => hunks.length > 0);
}

/** The counts in the header determine where a hunk ends: a removed line can look like the name of a file. */
function hunkAt(
  lines: readonly string[],
  from: number,
  [before, after]: readonly [number, number],
): { readonly hunk: readonly HunkLine[]; readonly next: number } {
  const hunk: HunkLine[] = [];
  let [old, fresh, at] = [before, after, from];
  for (; at < lines.length && (old > 0 || fresh > 0); at++) {
    const line = lines[at] ?? "";
    if (line.startsWith("\\")) continue;
    const sign = line.startsWith("-") ? "-" : line.startsWith("+") ? "+" : " ";
    if (HEADER.test(line)) break;
    if (sign !== "+") old -= 1;
    if (sign !== "-") fresh -= 1;
    hunk.push({ sign, text: line.slice(1) });
  }
  return { hunk, next: at };
}

function pathOf(before: string, after: string): string | null {
  const [old, fresh] = [before, after].map((line) => line.slice(4).split("\t", 1)[0]?.trim() ?? "");
  const path = fresh === "/dev/null" ? old : fresh;
  return path === undefined || path === "" ? null : path.replace(/^[ab]\//u, "");
}

/** `before` and `after` are texts of the same place in a file. */
export function hunkOfTexts(
  before: string,
  after: string,
  { at = null, partial }: { readonly at?: number | null; readonly partial: boolean },
): Hunk {
  const lines = compareLines(linesOf(before), linesOf(after));
  return { at, lines, ...(partial && { isPartial: true as const }) };
}

/** The pairs of equal lines that have the same order in both texts, by their positions. */
export function commonLinesOf(
  old: readonly string[],
  fresh: readonly string[],
): (readonly [number, number])[] {
  const common = commonLines(old, fresh);
  const places = (marks: Uint8Array): number[] => [...marks.keys()].filter((at) => marks[at] === 1);
  const [left, right] = [places(common.old), places(common.fresh)];
  return left.map((at, index) => [at, right[index] ?? 0] as const);
}

/** Removed lines come before those that were added in their place. */
export function compareLines(old: readonly string[], fresh: readonly string[]): readonly HunkLine[] {
  const common = commonLines(old, fresh);
  const lines: HunkLine[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < fresh.length) {
    if (i < old.length && common.old[i] === 0) lines.push({ sign: "-", text: old[i++] ?? "" });
    else if (j < fresh.length && common.fresh[j] === 0) lines.push({ sign: "+", text: fresh[j++] ?? "" });
    else {
      lines.push({ sign: " ", text: old[i] ?? "" });
      [i, j] = [i + 1, j + 1];
    }
  }
  return lines;
}

/** The lines without carriage returns, and without the line break at the end. */
export function linesOf(text: string): readonly string[] {
  if (text === "") return [];
  const lines = text.split(/\r?\n/u);
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}
