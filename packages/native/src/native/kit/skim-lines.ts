/**
 * Reads the start and the end of a JSON Lines file and, on request, the lines between them that may contain a title.
 * The list of sessions needs only these lines, so the other lines are not parsed.
 */

import { type FoundFile, isJson, type Json, parseJson } from "@continuo/files";
import { linesBackwards, openBytes, openLines, type RawLine } from "@continuo/files/records";
import type { SkimOptions } from "./port.ts";

/** The number of bytes that are read at the start of a file, and at its end, if `part` is `ends`. */
const ENDS_BYTES = 256 * 1024;

/** The functions of a reader that receive the records of a skim. */
export interface SkimSteps {
  /** Receives records from the start, in order. Returns true if the start can give no further facts. */
  first(record: Json): boolean;
  /** Receives records from the end, newest first. Returns how much the reader knows now. */
  last(record: Json): TailKnowledge;
  /** Texts that mark a title: every line with a title contains one of them. */
  readonly titleMarkers: readonly string[];
  /** Receives lines with a marker, newest first. Returns true when the title is known. */
  title(record: Json): boolean;
}

export type TailKnowledge = "too little" | "all but the title" | "everything";

export interface SkimmedEnds {
  /** Every record was given to `first`. */
  readonly sawAll: boolean;
  /** True if the last line is incomplete. */
  readonly torn: boolean;
}

/** Errors: `not_found`, `unreadable`. */
export async function skimLines(
  file: FoundFile,
  steps: SkimSteps,
  options: SkimOptions,
): Promise<SkimmedEnds> {
  const sawAll = await skimStart(file, steps, options);
  const bytes = openBytes(file.path);
  const walk = options.signal ? { signal: options.signal } : {};
  try {
    const { known, torn } = await skimEnd(linesBackwards(bytes, file.sizeBytes, walk), file, steps, options);
    if (options.part === "whole" && known !== "everything") {
      const needles = steps.titleMarkers.map((marker) => Buffer.from(marker));
      for await (const line of linesBackwards(bytes, file.sizeBytes, { needles, ...walk })) {
        const value = parseOrNothing(line);
        if (isJson(value) && steps.title(value)) break;
      }
    }
    return { sawAll, torn };
  } finally {
    bytes.close();
  }
}

/** True when every record was read. Errors: `not_found`, `unreadable`. */
export async function skimStart(
  file: FoundFile,
  steps: Pick<SkimSteps, "first">,
  options: SkimOptions,
): Promise<boolean> {
  using lines = openLines(file.path, file.sizeBytes);
  for await (const records of lines.scan(options.signal ? { signal: options.signal } : {})) {
    for (const record of records) {
      if (options.part === "ends" && record.offset > ENDS_BYTES) return false;
      if (isJson(record.value) && steps.first(record.value)) return false;
    }
  }
  return true;
}

async function skimEnd(
  lines: AsyncIterable<RawLine>,
  { sizeBytes }: FoundFile,
  steps: SkimSteps,
  { part }: SkimOptions,
): Promise<{ known: TailKnowledge; torn: boolean }> {
  let known: TailKnowledge = "too little";
  let torn = false;
  for await (const line of lines) {
    const value = parseOrNothing(line);
    if (value === undefined && !line.ended) torn = true;
    if (isJson(value)) known = steps.last(value);
    // Stop even if only the title is missing: searching the bytes for it costs less than parsing every line before it.
    if (known !== "too little") break;
    if (part === "ends" && sizeBytes - line.offset > ENDS_BYTES) break;
  }
  return { known, torn };
}

function parseOrNothing(line: RawLine): unknown {
  const text = line.offset === 0 && line.text.startsWith("\ufeff") ? line.text.slice(1) : line.text;
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
