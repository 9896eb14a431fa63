/** One edit of a file. Pure. */

import { type Hunk, linesOf } from "./hunks.ts";

export interface FileEdit {
  /** The name in the call. */
  readonly path: string;
  /** The name before a move. */
  readonly movedFrom: string | null;
  /**
   * - `edit`: the hunks change the file
   * - `create`: the file did not exist
   * - `write`: the hunk is the whole file, and the content before it is not known
   * - `delete`: the file is gone; the hunk has its lines, if they are known
   */
  readonly kind: "edit" | "create" | "write" | "delete";
  readonly hunks: readonly Hunk[];
}

/** Longer texts are not examined. */
export const MAX_EDIT_CHARS = 4_000_000;

export function wholeEdit(path: string, text: string, kind: "create" | "write"): FileEdit {
  const lines = linesOf(text.slice(0, MAX_EDIT_CHARS)).map((line) => ({ sign: "+" as const, text: line }));
  return { path, movedFrom: null, kind, hunks: [{ at: 1, lines }] };
}

/** @param text the file as it was, if it is known */
export function deleteEdit(path: string, text: string | null): FileEdit {
  const lines = linesOf(text ?? "").map((line) => ({ sign: "-" as const, text: line }));
  return { path, movedFrom: null, kind: "delete", hunks: lines.length === 0 ? [] : [{ at: 1, lines }] };
}
