/** The source of a session that is one file of lines, and what the scans of such sessions share. */

import { ContinuoError, type Entry } from "@continuo/core/model";
import {
  isCompressed,
  type LineFile,
  type LinePlace,
  type LineRecord,
  openLines,
} from "@continuo/files/records";
import type { FoundSession, OpenOptions } from "../kit/index.ts";
import type { ScanSource } from "./scan.ts";

export interface LineSource extends ScanSource<LineRecord> {
  readonly lines: LineFile;
}

/** Errors: `not_found`, `unreadable`. */
export async function openLineSource(found: FoundSession, { keep }: OpenOptions): Promise<LineSource> {
  const { path, sizeBytes } = newestFileOf(found);
  return toLineSource(openLines(path, sizeBytes, keep), sizeBytes);
}

export function toLineSource(lines: LineFile, sizeBytes: number): LineSource {
  return {
    lines,
    windowBytes: () => sizeBytes,
    records: (start) => lines.scan({ part: "whole", ...start }),
    problems: lines.problems,
    growing: isCompressed(lines.path)
      ? null
      : {
          isUnended: (record) => record.unended === true,
          position: async () => ({ path: lines.path, others: "", ...(await lines.position()) }),
          continues: async (position) => position.path === lines.path && (await lines.continues(position)),
        },
    close: lines.close,
  };
}

/** The file that is written to now. Errors: `unreadable`. */
export function newestFileOf(found: FoundSession): FoundSession["files"][number] {
  const file = found.files.at(-1);
  if (file !== undefined) return file;
  throw new ContinuoError("unreadable", found.problems[0]?.message ?? `cannot read ${found.location}`);
}

export interface IndexedLines {
  readonly count: number;
  placeOf(record: number): LinePlace;
  isActive(record: number): boolean;
  /** Returns the fields of an entry that are read from its value. */
  toEntry(value: unknown): Pick<Entry, "id" | "parentId" | "type">;
  /** False if only the newest part of the file was read: the numbers of its lines in the file are then unknown. */
  readonly withLines: boolean;
}

/** Every line of an index, verbatim. */
export async function* lineEntries(
  { lines }: LineSource,
  index: IndexedLines,
  signal: AbortSignal | undefined,
): AsyncGenerator<Entry, void, void> {
  for (let record = 0; record < index.count; record++) {
    signal?.throwIfAborted();
    const place = index.placeOf(record);
    const value = await lines.fetch(place);
    const line = index.withLines ? place.line : null;
    yield { line, ...index.toEntry(value), active: index.isActive(record), value };
  }
}
