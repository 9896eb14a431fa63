/**
 * Converts entries of versions 1 and 2 to version 3, as pi itself does when it opens such a file (0.73.1, 0.87.1,
 * 1.5.2). Pure.
 */

import { isJson, type Json } from "@continuo/files";
import type { KeptRecord, Makers } from "../writing/index.ts";

export const VERSION = 3;

/** Returns the same records if they have version 3 or a newer one, or no header. */
export function migrated(records: readonly KeptRecord[], makers: Makers): readonly KeptRecord[] {
  const header = records.map(({ value }) => value).find(isHeader);
  const version = isJson(header) ? (header.version ?? 1) : VERSION;
  if (typeof version !== "number" || version >= VERSION) return records;
  const linked = version < 2 ? withLinks(records, makers) : records;
  return linked.map((record) =>
    isJson(record.value) ? { ...record, value: renamed(record.value) } : record,
  );
}

function isHeader(value: unknown): boolean {
  return isJson(value) && value.type === "session";
}

/** A list becomes a tree of one branch; a compaction names the first entry that it keeps, instead of its place. */
function withLinks(records: readonly KeptRecord[], makers: Makers): readonly KeptRecord[] {
  const ids = records.map(({ value }) => (isHeader(value) || !isJson(value) ? null : makers.hex(8)));
  let parentId: string | null = null;
  return records.map((record, at) => {
    const id = ids[at] ?? null;
    if (id === null || !isJson(record.value)) return record;
    const { firstKeptEntryIndex, ...entry } = record.value;
    const isCompaction = entry.type === "compaction" && typeof firstKeptEntryIndex === "number";
    const kept = isCompaction ? ids[firstKeptEntryIndex] : null;
    const value = {
      ...(isCompaction ? entry : record.value),
      ...(kept === null || kept === undefined ? {} : { firstKeptEntryId: kept }),
      id,
      parentId,
    };
    parentId = id;
    return { ...record, value };
  });
}

function renamed(value: Json): Json {
  if (isHeader(value)) return { ...value, version: VERSION };
  const { message } = value;
  if (value.type !== "message" || !isJson(message) || message.role !== "hookMessage") return value;
  return { ...value, message: { ...message, role: "custom" } };
}
