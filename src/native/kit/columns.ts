/** Columns of an index: typed arrays that grow by a quarter, so that a long session wastes little. */

export type Column = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array;

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
