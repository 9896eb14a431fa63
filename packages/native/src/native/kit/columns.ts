/** Columns of an index: typed arrays that grow by a quarter, so that a long session wastes little. */

import type { LinePlace } from "@continuo/files/records";

type Column = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array;

/** The place of each record of a file, by its number. */
export interface LineColumns {
  offset: Float64Array;
  length: Uint32Array;
  line: Uint32Array;
}

const GROWTH = 1.25;
const FIRST_SIZE = 64;

/** The column itself while it has room for a value at `at`, else a larger copy; new values are `empty`. */
export function withRoom<T extends Column>(column: T, at: number, empty = 0): T {
  if (at < column.length) return column;
  const size = Math.max(FIRST_SIZE, at + 1, Math.ceil(column.length * GROWTH));
  const larger = new (column.constructor as new (length: number) => T)(size);
  larger.set(column);
  if (empty !== 0) larger.fill(empty, column.length);
  return larger;
}

/** Makes room for a value at `at` in all named columns, which have the same length. */
export function makeRoom<Name extends string>(
  index: Record<Name, Column>,
  names: readonly Name[],
  at: number,
): void {
  const [first] = names;
  if (first === undefined || at < index[first].length) return;
  for (const name of names) index[name] = withRoom(index[name], at);
}

export function createLineColumns(): LineColumns {
  return { offset: new Float64Array(0), length: new Uint32Array(0), line: new Uint32Array(0) };
}

export function setPlace(index: LineColumns, at: number, place: LinePlace): void {
  if (at >= index.offset.length) makeRoom(index, ["offset", "length", "line"], at);
  index.offset[at] = place.offset;
  index.length[at] = place.length;
  index.line[at] = place.line;
}

export function placeOf(index: LineColumns, record: number): LinePlace {
  return {
    line: index.line[record] ?? 0,
    offset: index.offset[record] ?? 0,
    length: index.length[record] ?? 0,
  };
}

export function hasFlag(index: { readonly flags: Uint8Array }, record: number, flag: number): boolean {
  return ((index.flags[record] ?? 0) & flag) !== 0;
}
