/**
 * The changes that a tool call makes in files, read from its input or its output. Each agent has its own shape for
 * them. Control characters in the text are made visible.
 */

import { commonLines } from "./line-diff.ts";
import { visibleLine, visibleText } from "./visible-text.ts";

export interface DiffLine {
  readonly sign: "-" | "+" | " " | "…";
  readonly text: string;
  /** 1-based numbers in the file before and after the change, if they are known. */
  readonly before?: number;
  readonly after?: number;
}

/** Returns the present text of the file, with or without the change; `null` if the file cannot be read. */
export type FileText = (path: string) => string | null;

export interface ChangedFile {
  readonly path: string | null;
  readonly lines: readonly DiffLine[];
}

/** The number of unchanged lines that are shown on each side of a change. */
const CONTEXT_LINES = 2;
/** Longer texts are cut. */
const MAX_CHARS = 1_000_000;
/** Texts with more lines are not compared: they are shown as removed and added. */
const MAX_COMPARED_LINES = 20_000;
/** Texts with more lines are compared in linear space. */
const MAX_TABLE_LINES = 400;

/**
 * Returns an empty list if the call changes no file, or has an unknown shape. Lines have numbers if a unified diff
 * gives them, or if the text from `fileText` contains the replaced text, or the new text, exactly once.
 */
export function changesOf(input: unknown, content?: unknown, fileText?: FileText): readonly ChangedFile[] {
  const shown = Array.isArray(content) ? content.flatMap((block) => changeOfBlock(block, fileText)) : [];
  return shown.length > 0 ? shown : changesOfInput(input, fileText);
}

/**
 * Reads `{ type: "diff", path, oldText, newText }`, the form of agents that speak ACP. In a result, this object may be
 * in the field `raw` of a block of the type `unknown`.
 */
function changeOfBlock(block: unknown, fileText?: FileText): ChangedFile[] {
  const given = asRecord(block);
  const { type, path, oldText, newText } = given.type === "unknown" ? asRecord(given.raw) : given;
  if (type !== "diff" || typeof newText !== "string") return [];
  return [toChange(path, typeof oldText === "string" ? oldText : "", newText, fileText)];
}

function changesOfInput(input: unknown, fileText?: FileText): ChangedFile[] {
  if (typeof input === "string") return changesOfPatch(input);
  const fields = asRecord(input);
  if (Array.isArray(fields.changes)) return fields.changes.flatMap(changeOfPatchedFile);
  const path = fields.file_path ?? fields.filePath ?? fields.path;
  if (typeof path !== "string") {
    const texts = [
      fields.patch,
      fields.patchText,
      fields.input,
      fields.command,
      fields.cmd,
      fields.script,
    ].flat();
    return texts.flatMap((text) => (typeof text === "string" ? changesOfPatch(text) : []));
  }
  // Several edits of one file change each other's line numbers.
  const isOnly = !Array.isArray(fields.edits) || fields.edits.length === 1;
  return textEditsOf(fields).map(({ before, after }) =>
    toChange(path, before ?? "", after, isOnly && before !== null ? fileText : undefined),
  );
}

/** A replaced text of a file, or with `before: null` the text of a whole file. Its control characters are unchanged. */
export interface TextEdit {
  readonly path: string;
  readonly before: string | null;
  readonly after: string;
}

/** The texts that the input of a call replaces or writes; empty for a patch, and for an unknown shape. */
export function textEditsOf(input: unknown): readonly TextEdit[] {
  const fields = asRecord(input);
  const path = fields.file_path ?? fields.filePath ?? fields.path;
  if (typeof path !== "string") return [];
  const edits = Array.isArray(fields.edits) ? fields.edits : [fields];
  const replaced = edits.flatMap((edit: unknown): TextEdit[] => {
    const { old_string, oldString, oldText, old_str, new_string, newString, newText, new_str } =
      asRecord(edit);
    const before = old_string ?? oldString ?? oldText ?? old_str;
    const after = new_string ?? newString ?? newText ?? new_str;
    return typeof before === "string" && typeof after === "string" ? [{ path, before, after }] : [];
  });
  if (replaced.length > 0) return replaced;
  const written = fields.content ?? fields.file_text;
  return typeof written === "string" ? [{ path, before: null, after: written }] : [];
}

/** `{ path, diff }`, where `diff` is a unified diff, or the whole text of a new file. */
function changeOfPatchedFile(change: unknown): ChangedFile[] {
  const { path, diff, kind } = asRecord(change);
  if (typeof diff !== "string") return [];
  const type = asRecord(kind).type ?? kind;
  if (type === "add" && !/^@@ /mu.test(diff)) return [toChange(path, "", diff)];
  if (type === "delete" && !/^@@ /mu.test(diff)) return [toChange(path, diff, "")];
  const lines = diff.slice(0, MAX_CHARS).split("\n");
  const headed = lines.findIndex((line) => line.startsWith("@@"));
  return [{ path: toPath(path), lines: linesOfPatch(lines.slice(Math.max(0, headed))) }];
}

/** `*** Begin Patch … *** Update File: PATH … *** End Patch`, also within a command of a shell. */
function changesOfPatch(text: string): ChangedFile[] {
  const [, patch] = /\*\*\* Begin Patch([\s\S]*)/u.exec(text.slice(0, MAX_CHARS)) ?? [];
  if (patch === undefined) return [];
  return (patch.split(/^\*\*\* End Patch/mu)[0] ?? "")
    .split(/^\*\*\* (?:Update|Add|Delete) File: /mu)
    .slice(1)
    .map((part) => {
      const [path = "", ...lines] = part.split("\n");
      return { path: toPath(path), lines: linesOfPatch(lines) };
    });
}

function linesOfPatch(lines: readonly string[]): DiffLine[] {
  const drawn: DiffLine[] = [];
  let start: Numbers | null = null;
  let hunk: DiffLine[] = [];
  let emptyLines = 0;
  for (const line of [...lines, "@@"]) {
    if (/^(?:\*\*\*|\\)/u.test(line)) continue;
    if (line.startsWith("@@")) {
      drawn.push(...(start === null ? hunk : numbered(hunk, start)));
      [start, hunk] = [startOfHunk(line), drawn.length > 0 ? [{ sign: "…", text: "" }] : []];
      emptyLines = 0;
    } else if (line === "") {
      emptyLines += 1;
    } else {
      // An empty line within a hunk is an empty context line that lost its space.
      hunk.push(
        ...signed(
          " ",
          Array.from({ length: emptyLines }, () => ""),
        ),
      );
      emptyLines = 0;
      const sign = line.startsWith("-") ? "-" : line.startsWith("+") ? "+" : " ";
      hunk.push({ sign, text: visibleLine(line.slice(1)) });
    }
  }
  return drawn;
}

interface Numbers {
  readonly before: number;
  readonly after: number;
}

/** `@@ -12,3 +12,4 @@`; the `@@` of `apply_patch` has no numbers. */
function startOfHunk(line: string): Numbers | null {
  const [, before, after] = /^@@ -(\d{1,9})(?:,\d{1,9})? \+(\d{1,9})/u.exec(line) ?? [];
  return before === undefined ? null : { before: Number(before), after: Number(after) };
}

function numbered(lines: readonly DiffLine[], start: Numbers): DiffLine[] {
  let { before, after } = start;
  return lines.map((line) => {
    if (line.sign === "…") return line;
    if (line.sign === "-") return { ...line, before: before++ };
    if (line.sign === "+") return { ...line, after: after++ };
    return { ...line, before: before++, after: after++ };
  });
}

function toChange(path: unknown, before: string, after: string, fileText?: FileText): ChangedFile {
  const text = typeof path === "string" ? fileText?.(path) : undefined;
  const start = typeof text === "string" ? (lineOf(text, before) ?? lineOf(text, after)) : null;
  return { path: toPath(path), lines: diffLines(before, after, start) };
}

/** The number of the line on which `part` begins; `null` unless the text contains it exactly once. */
function lineOf(text: string, part: string): number | null {
  const at = part === "" ? -1 : text.indexOf(part);
  if (at === -1 || text.indexOf(part, at + 1) !== -1) return null;
  return text.slice(0, at).split("\n").length;
}

function toPath(path: unknown): string | null {
  return typeof path === "string" ? visibleLine(path.trim()) : null;
}

/** The lines that differ, with two lines around them. `start` is the number of the first line in the file, if known. */
export function diffLines(before: string, after: string, start: number | null = null): DiffLine[] {
  const old = toLines(before);
  const fresh = toLines(after);
  let same = 0;
  while (same < old.length && same < fresh.length && old[same] === fresh[same]) same += 1;
  let [oldEnd, freshEnd] = [old.length, fresh.length];
  while (oldEnd > same && freshEnd > same && old[oldEnd - 1] === fresh[freshEnd - 1]) {
    oldEnd -= 1;
    freshEnd -= 1;
  }
  const all: DiffLine[] = [
    ...signed(" ", old.slice(0, same)),
    ...compare(old.slice(same, oldEnd), fresh.slice(same, freshEnd)),
    ...signed(" ", old.slice(oldEnd)),
  ];
  return nearChanges(start === null ? all : numbered(all, { before: start, after: start }));
}

function toLines(text: string): string[] {
  if (text === "") return [];
  const lines = visibleText(text.slice(0, MAX_CHARS)).split("\n");
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

/**
 * If there are too many lines to compare, all are shown as removed and added. Removed lines come before the lines that
 * replaced them.
 */
function compare(old: readonly string[], fresh: readonly string[]): DiffLine[] {
  if (old.length > MAX_COMPARED_LINES || fresh.length > MAX_COMPARED_LINES) {
    return [...signed("-", old), ...signed("+", fresh)];
  }
  if (old.length <= MAX_TABLE_LINES && fresh.length <= MAX_TABLE_LINES) return compareShort(old, fresh);
  const common = commonLines(old, fresh);
  const drawn: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < fresh.length) {
    if (i < old.length && common.old[i] === 0) drawn.push({ sign: "-", text: old[i++] ?? "" });
    else if (j < fresh.length && common.fresh[j] === 0) drawn.push({ sign: "+", text: fresh[j++] ?? "" });
    else {
      drawn.push({ sign: " ", text: old[i] ?? "" });
      [i, j] = [i + 1, j + 1];
    }
  }
  return drawn;
}

/** Finds the longest common subsequence with a table; of equal lines, the earliest one stays. */
function compareShort(old: readonly string[], fresh: readonly string[]): DiffLine[] {
  const lengths = Array.from({ length: old.length + 1 }, () => new Uint16Array(fresh.length + 1));
  const at = (i: number, j: number): number => lengths[i]?.[j] ?? 0;
  for (let i = old.length - 1; i >= 0; i--) {
    const row = lengths[i] as Uint16Array;
    for (let j = fresh.length - 1; j >= 0; j--) {
      row[j] = old[i] === fresh[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const drawn: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < fresh.length) {
    if (i < old.length && j < fresh.length && old[i] === fresh[j]) {
      drawn.push({ sign: " ", text: old[i] ?? "" });
      [i, j] = [i + 1, j + 1];
    } else if (i < old.length && (j === fresh.length || at(i + 1, j) >= at(i, j + 1))) {
      drawn.push({ sign: "-", text: old[i++] ?? "" });
    } else {
      drawn.push({ sign: "+", text: fresh[j++] ?? "" });
    }
  }
  return drawn;
}

function signed(sign: "-" | "+" | " ", lines: readonly string[]): DiffLine[] {
  return lines.map((text) => ({ sign, text }));
}

function nearChanges(all: readonly DiffLine[]): DiffLine[] {
  const isNear = all.map((_, at) =>
    all.slice(Math.max(0, at - CONTEXT_LINES), at + CONTEXT_LINES + 1).some(({ sign }) => sign !== " "),
  );
  const drawn: DiffLine[] = [];
  for (const [at, line] of all.entries()) {
    if (isNear[at]) drawn.push(line);
    else if (drawn.length > 0 && drawn.at(-1)?.sign !== "…") drawn.push({ sign: "…", text: "" });
  }
  return drawn.at(-1)?.sign === "…" ? drawn.slice(0, -1) : drawn;
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
