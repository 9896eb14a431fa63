/**
 * Finds the edits that a call made in files, with exact lines: as the agent's own result shows them, or else as the
 * call requested them. Pure.
 */

import type { ToolCallBlock, ToolResultBlock } from "../../model/index.ts";
import { textEditsOf } from "../render/index.ts";
import { deleteEdit, type FileEdit, MAX_EDIT_CHARS, wholeEdit } from "./file-edit.ts";
import { type Hunk, hunkOfTexts, parseUnifiedDiff } from "./hunks.ts";
import { parsePatch } from "./patch.ts";

/** Returns an empty list if the call changes no file, or if its result says that it failed. */
export function fileEditsOf(call: ToolCallBlock, result: ToolResultBlock | null): readonly FileEdit[] {
  if (result?.isError === true) return [];
  const path = pathIn(call.args);
  const shown = listOf(result?.details).flatMap((details) => editsOfDetails(asRecord(details), path));
  return shown.length > 0 ? shown : editsOfCall(call);
}

function editsOfDetails(details: Fields, path: string | null): FileEdit[] {
  const { changes, structuredPatch, metadata, resultDisplay } = details;
  if (Array.isArray(structuredPatch)) return editsOfStructured(details, path);
  if (typeof changes === "object" && changes !== null) return editsOfChanges(changes);
  const nested = asRecord(resultDisplay);
  const texts = [
    details.patch,
    details.diff,
    details.detailedContent,
    asRecord(metadata).diff,
    nested.fileDiff,
  ];
  for (const text of texts) {
    const files = typeof text === "string" && text.length <= MAX_EDIT_CHARS ? parseUnifiedDiff(text) : [];
    const edits = files.flatMap(({ path: named, hunks }): FileEdit[] => {
      const known = files.length === 1 ? (path ?? named) : named;
      const isNew = files.length === 1 && nested.isNewFile === true;
      return known === null ? [] : [{ path: known, movedFrom: null, kind: kindOf(hunks, isNew), hunks }];
    });
    if (edits.length > 0) return edits;
  }
  return [];
}

/** The diff of a new file begins at line 1, removes nothing, and has no lines of context. */
function kindOf(hunks: readonly Hunk[], isNew: boolean): FileEdit["kind"] {
  const [only] = hunks;
  const isAll = hunks.length === 1 && only?.at === 1 && only.lines.every(({ sign }) => sign === "+");
  return isNew || isAll ? "create" : "edit";
}

/** Reads `structuredPatch` of Claude Code, which has `type: "create"` for a file that did not exist. */
function editsOfStructured(
  { structuredPatch, type, content, filePath }: Fields,
  path: string | null,
): FileEdit[] {
  const named = path ?? (typeof filePath === "string" ? filePath : null);
  if (named === null) return [];
  if (type === "create" && typeof content === "string") return [wholeEdit(named, content, "create")];
  const hunks = (structuredPatch as readonly unknown[]).flatMap((hunk): Hunk[] => {
    const { newStart, newLines, lines } = asRecord(hunk);
    if (typeof newStart !== "number" || !Array.isArray(lines)) return [];
    const texts = lines.filter((line) => typeof line === "string" && !line.startsWith("\\"));
    const at = newStart + (newLines === 0 ? 1 : 0);
    return [{ at, lines: texts.map((text: string) => ({ sign: signOf(text), text: text.slice(1) })) }];
  });
  return hunks.length === 0 ? [] : [{ path: named, movedFrom: null, kind: "edit", hunks }];
}

function signOf(line: string): "-" | "+" | " " {
  return line.startsWith("-") ? "-" : line.startsWith("+") ? "+" : " ";
}

/** Reads `changes` of Codex, which are an object by path, or a list with `path` and `kind`. */
function editsOfChanges(changes: object): FileEdit[] {
  const named = Array.isArray(changes)
    ? changes.map((change) => [asRecord(change).path, change] as const)
    : Object.entries(changes);
  return named.flatMap(([path, change]): FileEdit[] => {
    const { type, kind, unified_diff: unified, diff, content, move_path: moved } = asRecord(change);
    if (typeof path !== "string") return [];
    const what = type ?? asRecord(kind).type ?? kind;
    const target = moved ?? asRecord(kind).move_path;
    const text = [content, diff, unified].find((one) => typeof one === "string") ?? "";
    const hunks = parseUnifiedDiff(text).flatMap((file) => file.hunks);
    if (what === "add") return [wholeEdit(path, addedText(text, hunks), "create")];
    if (what === "delete") return [deleteEdit(path, hunks.length > 0 ? null : text)];
    const isMoved = typeof target === "string" && target !== "";
    if (hunks.length === 0 && !isMoved) return [];
    return [{ path: isMoved ? target : path, movedFrom: isMoved ? path : null, kind: "edit", hunks }];
  });
}

/** A new file is given as its text, or as a diff against an empty file. */
function addedText(text: string, hunks: readonly Hunk[]): string {
  if (hunks.length === 0) return text;
  return hunks.flatMap(({ lines }) => lines.map((line) => line.text)).join("\n");
}

function editsOfCall({ args, rawArgs }: ToolCallBlock): readonly FileEdit[] {
  const edits = new Map<string, FileEdit>();
  for (const { path, before, after } of textEditsOf(args)) {
    if (before === null) return [wholeEdit(path, after, "write")];
    const hunk = before === "" ? null : hunkOfTexts(before, after, { partial: true });
    const known = edits.get(path)?.hunks ?? [];
    // Some tools create a file by replacing an empty text.
    if (hunk === null) edits.set(path, wholeEdit(path, after, "write"));
    else edits.set(path, { path, movedFrom: null, kind: "edit", hunks: [...known, hunk] });
  }
  if (edits.size > 0) return [...edits.values()];
  const texts = [args.patch, args.patchText, args.input, args.command, args.cmd, args.script].flat();
  const raw = Object.keys(args).length === 0 ? [rawArgs] : [];
  return [...texts, ...raw].flatMap((text) =>
    typeof text === "string" && text.length <= MAX_EDIT_CHARS ? parsePatch(text) : [],
  );
}

function pathIn(args: Fields): string | null {
  const path = args.file_path ?? args.filePath ?? args.path;
  return typeof path === "string" ? path : null;
}

type Fields = Readonly<Record<string, unknown>>;

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

function asRecord(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}
