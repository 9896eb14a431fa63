/** A changed record whose numbers are written as they stood in the line: `12.0`, and integers above 2^53. Pure. */

import { exactOf, isJson } from "@continuo/files";

/**
 * Returns the value that `JSON.stringify` writes as the changed record.
 *
 * @param read the record as it was read; `null` for a new one.
 */
export function exactLike(changed: unknown, read: unknown): unknown {
  const exact = exactOf(read);
  return exact === read ? changed : merge(changed, read, exact);
}

/** Returns the exact form of each unchanged part. The depth is that of the parsed line. */
function merge(changed: unknown, read: unknown, exact: unknown): unknown {
  if (changed === read) return exact;
  if (Array.isArray(changed)) return mergeList(changed, read, exact);
  if (!isJson(changed) || !isJson(read) || !isJson(exact)) return changed;
  const parts = Object.entries(changed).map(([key, value]) => [
    key,
    Object.hasOwn(read, key) ? merge(value, read[key], exact[key]) : value,
  ]);
  return Object.fromEntries(parts);
}

/** Items may be removed or new: an unchanged item is recognised by its identity, others by their place. */
function mergeList(changed: readonly unknown[], read: unknown, exact: unknown): unknown {
  if (!Array.isArray(read) || !Array.isArray(exact)) return changed;
  const places = new Map(read.map((item, at): [unknown, number] => [item, at]));
  return changed.map((item, at) => {
    const place = typeof item === "object" ? (places.get(item) ?? at) : at;
    return merge(item, read[place], exact[place]);
  });
}
