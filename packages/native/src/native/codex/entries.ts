/** The records of a session, verbatim: those of its own files, and those that it continues from. */

import type { Entry } from "@continuo/core/model";
import { isJson } from "@continuo/files";
import type { FoundSession } from "../kit/index.ts";
import { fileOf } from "./header.ts";
import { parseRecord, toText } from "./records.ts";
import type { ScannedFile, ScanResult } from "./state.ts";

type Entries = AsyncGenerator<Entry, void, void>;

/** All records of all files of the thread, even those after the place from which a later file continues. */
export function ownEntries({ files }: ScanResult, found: FoundSession, signal?: AbortSignal): Entries {
  const own = files.filter(({ index }) => index.own);
  const parts = own.map((file) => ({ file, end: Number.POSITIVE_INFINITY }));
  return entriesOf(parts, { found, main: files.at(-1), signal });
}

/** Returns the entries of the files of other threads that the main file continues from, the first one first. */
export function entriesBefore({ files }: ScanResult, found: FoundSession, signal?: AbortSignal): Entries {
  const main = files.at(-1);
  const others = files.filter(({ index }) => !index.own);
  const parts = others.map((file) => ({ file, end: endIn(file, main) }));
  return entriesOf(parts, { found, main, signal });
}

interface FileSegment {
  readonly file: ScannedFile;
  /** Reading stops before this line. */
  readonly end: number;
}

interface EntriesContext {
  readonly found: FoundSession;
  readonly main: ScannedFile | undefined;
  readonly signal: AbortSignal | undefined;
}

async function* entriesOf(parts: readonly FileSegment[], { found, main, signal }: EntriesContext): Entries {
  for (const { file, end } of parts) {
    const isActive = activeLines(file, main);
    const named = fileOf(found, file.source.path);
    for await (const records of file.lines.scan({ part: "whole", ...(signal ? { signal } : {}) })) {
      for (const { line, value } of records) {
        if (line >= end) break;
        yield { ...named, line, ...identityOf(value), active: isActive(line), value };
      }
      if ((records.at(-1)?.line ?? 0) >= end) break;
    }
  }
}

function identityOf(value: unknown): Pick<Entry, "id" | "parentId" | "type"> {
  const record = parseRecord(value);
  const type = isJson(value) && typeof value.type === "string" ? value.type : "unknown";
  if (record === null) return { id: null, parentId: null, type };
  const { payload, payloadType } = record;
  return {
    id: toText(payload.id),
    parentId: null,
    type: payloadType === "" ? type : `${type}/${payloadType}`,
  };
}

/**
 * A file counts up to the place from which the next file of the lineage continues; lines that a rollback dropped do not
 * count.
 */
function activeLines(file: ScannedFile, main: ScannedFile | undefined): (line: number) => boolean {
  const end = endIn(file, main);
  return (line) => line < end && !file.index.dropped.some(({ from, to }) => line >= from && line < to);
}

/** The first line that does not count; line 0 of a file from which the main file does not continue. */
function endIn({ source, index }: ScannedFile, main: ScannedFile | undefined): number {
  let child = main?.source;
  while (child && child !== source && child.base?.file !== source) child = child.base?.file;
  const at = index.cuts.find((cut) => cut.child === child?.path);
  return child === undefined ? 0 : (at?.line ?? Number.POSITIVE_INFINITY);
}
