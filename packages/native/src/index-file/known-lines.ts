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
  /** The files with lines that `placeOf` was never called for. */
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
    placeOf(file) {
      const place = places.get(file);
      if (place === undefined) return -1;
      asked[place] = 1;
      return isUnchanged(file, numbers, place * WIDTH) ? place : -1;
    },
    pathAt: (place) => valueAt(paths, place),
    lineAt: (place) => valueAt(answers, place),
    fileAt(place) {
      const at = place * WIDTH;
      return {
        path: valueAt(paths, place),
        sizeBytes: valueAt(numbers, at),
        mtimeMs: valueAt(numbers, at + 1),
        ctimeMs: valueAt(numbers, at + 2),
        inode: valueAt(numbers, at + 3),
      };
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

function valueAt<T>(column: { readonly [place: number]: T }, place: number): T {
  const value = column[place];
  if (value === undefined) throw new Error("no file has a line at this place");
  return value;
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
