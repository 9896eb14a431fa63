/**
 * Summaries of all files in one row: a list of the newest sessions needs little of each of thousands of files, and reads
 * and checks that at once.
 */

import type { DatabaseSync } from "node:sqlite";
import { crc32 } from "node:zlib";

export interface SummaryRows {
  readonly stamp: string;
  readonly answers: { [name: string]: unknown };
}

/** Returns nothing for a damaged row. */
export function readSummary(database: DatabaseSync, table: string): Map<string, SummaryRows> {
  const row = database.prepare("select entries, checksum from brief where name = ?").get(table);
  const entries = new Map<string, SummaryRows>();
  const text = String(row?.entries ?? "[]");
  if (row !== undefined && crc32(text) !== row.checksum) return entries;
  for (const [path, stamp, answers] of JSON.parse(text) as [string, string, SummaryRows["answers"]][]) {
    entries.set(path, { stamp, answers });
  }
  return entries;
}

/** Within a transaction. */
export function writeSummary(
  database: DatabaseSync,
  table: string,
  entries: ReadonlyMap<string, SummaryRows>,
): void {
  const text = JSON.stringify([...entries].map(([path, { stamp, answers }]) => [path, stamp, answers]));
  database
    .prepare("insert or replace into brief (name, entries, checksum) values (?, ?, ?)")
    .run(table, text, crc32(text));
}
