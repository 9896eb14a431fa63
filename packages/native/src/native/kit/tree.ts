/**
 * Repairs and walks trees of records, which are one array: `up[record]` is the parent of the record, -1 where a tree
 * begins. The agents differ only in how they find the parent; the walk and the repair are the same.
 */

/**
 * Cuts every circle: it walks upwards from each record, the last record first, and removes the link that leads a walk
 * back to itself. Returns the records that lost their link.
 */
export function cutCircles(up: Int32Array): number[] {
  const cut: number[] = [];
  const walk = new Uint32Array(up.length);
  for (let start = up.length - 1; start >= 0; start--) {
    for (let record = start; record !== -1 && walk[record] === 0; record = up[record] ?? -1) {
      walk[record] = start + 1;
      const next = up[record] ?? -1;
      if (next === -1 || walk[next] !== start + 1) continue;
      up[record] = -1;
      cut.push(record);
    }
  }
  return cut;
}

/** Returns the records from the root to this record. */
export function pathTo(up: Int32Array, tip: number): Int32Array {
  let length = 0;
  for (let record = tip; record !== -1; record = up[record] ?? -1) length += 1;
  const path = new Int32Array(length);
  for (let record = tip; record !== -1; record = up[record] ?? -1) path[--length] = record;
  return path;
}

/** Returns an array with 1 for every record that is the parent of another one. */
export function followed(up: Int32Array): Uint8Array {
  const marks = new Uint8Array(up.length);
  for (const parent of up) if (parent !== -1) marks[parent] = 1;
  return marks;
}
