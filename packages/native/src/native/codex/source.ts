/**
 * Reads the files of a session as one source of records; files of other threads in which its history begins come first.
 */

import { isCompressed, type LineFile, type LineRecord, openLines } from "@continuo/files/records";
import type { FoundSession, OpenOptions } from "../kit/index.ts";
import { type ScanSource, type ScanStart, toLineSource } from "../scanning/index.ts";
import { type Lineage, type LineageFile, readLineage } from "./lineage.ts";

/** A line with the number of its file in the lineage. */
export interface FileRecord {
  readonly file: number;
  readonly line: LineRecord;
}

export interface RolloutSource extends ScanSource<FileRecord> {
  readonly lineage: Lineage;
  /** One for each file of the lineage. */
  readonly files: readonly RolloutFile[];
}

export interface RolloutFile {
  readonly source: LineageFile;
  readonly lines: LineFile;
}

/** Errors: `not_found`, `unreadable`. */
export async function openRollouts(found: FoundSession, { keep }: OpenOptions): Promise<RolloutSource> {
  const lineage = await readLineage(found);
  const files: RolloutFile[] = [];
  const close = (): void => {
    for (const { lines } of files) lines.close();
  };
  try {
    for (const source of lineage.files) {
      files.push({ source, lines: openLines(source.path, source.sizeBytes, keep) });
    }
  } catch (error) {
    close();
    throw error;
  }
  const main = files.at(-1);
  // The facts of the header are read when the session is opened, so a scan can only continue a file that has its
  // header.
  const growing =
    main === undefined || main.source.meta === null
      ? null
      : toLineSource(main.lines, main.source.sizeBytes).growing;
  const others = JSON.stringify(lineage.files.slice(0, -1).map(({ path, sizeBytes }) => [path, sizeBytes]));
  let skipped = -1;
  return {
    lineage,
    files,
    // A compressed file can only be read from its start.
    windowBytes: () => (main === undefined || isCompressed(main.source.path) ? null : main.source.sizeBytes),
    async *records(start) {
      for (const [at, { lines }] of files.entries()) {
        if (at < files.length - 1 && (start.from !== undefined || start.position !== undefined)) continue;
        for await (const batch of lines.scan({ part: "whole", ...startIn(start, at === files.length - 1) })) {
          yield batch.map((line) => ({ file: at, line }));
          if (skipped === at) break;
        }
      }
    },
    skipFile(record) {
      skipped = record.file;
    },
    problems: () => [],
    growing:
      growing === null
        ? null
        : {
            isUnended: ({ line }) => line.unended === true,
            position: async () => ({ ...(await growing.position()), others }),
            continues: async (position) => position.others === others && (await growing.continues(position)),
          },
    close,
  };
}

function startIn(start: ScanStart, isMain: boolean): ScanStart {
  const { signal, ...place } = start;
  return { ...(isMain ? place : {}), ...(signal ? { signal } : {}) };
}
