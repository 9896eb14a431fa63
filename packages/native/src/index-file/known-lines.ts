/** The lines by which lists know sessions. They are in one row, because lists compare the state of many files. */

import { statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import type { FoundFile, KnownFiles } from "../native/kit/index.ts";
import { useIndex } from "./index-database.ts";
import { type ColumnChange, type Columns, changeColumns, readColumns, WIDTH } from "./summary-row.ts";

/** The name of the row. */
const LINES = "lines";

export interface KnownLines extends KnownFiles {
  /** Files with new lines. */
  readonly changed: ReadonlyMap<string, ColumnChange>;
  isAsked(path: string): boolean;
  /** The files with lines that `lineOf` was never called for. */
  unasked(): readonly string[];
}

/** @param isSettled true if a later change of the file shows in its state */
export async function createKnownLines(
  path: string,
  isSettled: (file: FoundFile) => boolean,
): Promise<KnownLines> {
  const read = await useIndex(path, "read", (database) => readColumns(database, LINES));
  const { paths, numbers, answers }: Columns = read.state === "ready" ? read.value : NO_COLUMNS;
  const places = new Map<string, number>();
  for (let at = 0; at < paths.length; at++) places.set(paths[at] ?? "", at);
  const asked = new Uint8Array(paths.length);
  const changed = new Map<string, ColumnChange>();
  return {
    changed,
    isAsked: (file) => asked[places.get(file) ?? -1] === 1,
    unasked: () => paths.filter((_, at) => asked[at] === 0),
    lineOf(file) {
      const at = places.get(file);
      if (at === undefined) return undefined;
      asked[at] = 1;
      return isUnchanged(file, numbers, at * WIDTH) ? answers[at] : undefined;
    },
    fileOf(file) {
      const at = (places.get(file) ?? -1) * WIDTH;
      // A subarray would be a new object for each of thousands of files.
      const [sizeBytes, mtimeMs] = [numbers[at], numbers[at + 1]];
      const [ctimeMs, inode] = [numbers[at + 2], numbers[at + 3]];
      if (sizeBytes === undefined || mtimeMs === undefined || ctimeMs === undefined || inode === undefined)
        throw new Error("the file has no line");
      return { path: file, sizeBytes, mtimeMs, ctimeMs, inode };
    },
    keep(file, line) {
      if (isSettled(file)) changed.set(file.path, { file, text: line });
    },
  };
}

/** Needs an open transaction. */
export function changeLines(database: DatabaseSync, changes: KnownLines["changed"]): void {
  changeColumns(database, LINES, changes);
}

const NO_COLUMNS: Columns = { paths: [], numbers: new Float64Array(), answers: [] };

/** Makes no object of the state of the file, because a list compares thousands of files. */
function isUnchanged(path: string, numbers: Float64Array, at: number): boolean {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    return (
      stat !== undefined &&
      numbers[at] === stat.size &&
      numbers[at + 1] === stat.mtimeMs &&
      numbers[at + 2] === stat.ctimeMs &&
      numbers[at + 3] === stat.ino &&
      stat.isFile()
    );
  } catch {
    return false;
  }
}
