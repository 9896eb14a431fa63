/**
 * Reads the facts of a file without reading all of it: records from the start until the first facts are known, records
 * from the end until the last facts are, and a search for a title in the bytes between.
 */

import { type FoundFile, isJson, type Json, parseJson } from "@continuo/files";
import { linesBackwards, openBytes } from "@continuo/files/records";
import { type SkimOptions, type SkimSteps, skimLines } from "../kit/index.ts";
import { kindOf } from "./records.ts";
import {
  createFirsts,
  createLasts,
  foldFirsts,
  foldLasts,
  foldLastsBackwards,
  type HeadFacts,
  type TailFacts,
} from "./row-fold.ts";
import { openRecords, startsAsWhole } from "./source.ts";

export interface SkimmedFile {
  readonly firsts: HeadFacts;
  readonly lasts: TailFacts;
  /** True if every record was read for the first facts. */
  readonly sawAll: boolean;
  /** True if the last line is incomplete. */
  readonly torn: boolean;
}

/** Errors: `not_found`, `unreadable`. */
export async function skimFile(file: FoundFile, options: SkimOptions): Promise<SkimmedFile> {
  const firsts = createFirsts();
  const lasts = createLasts();
  if (startsAsWhole(file.path)) return await skimWhole(file, firsts, lasts);
  const steps: SkimSteps = {
    first(record) {
      foldFirsts(firsts, record);
      return isComplete(firsts);
    },
    last(record) {
      foldLastsBackwards(lasts, record);
      if (lasts.updatedAt === null) return "too little";
      return lasts.summary === null ? "all but the title" : "everything";
    },
    titleMarkers: ['"summary"'],
    title(record) {
      lasts.summary ??= summaryIn(record);
      return lasts.summary !== null;
    },
  };
  return { firsts, lasts, ...(await skimLines(file, steps, options)) };
}

/**
 * The time by which Gemini CLI decides which of two files is newer, and which is too old. Errors: `not_found`,
 * `unreadable`.
 */
export async function lastUpdatedOf(file: FoundFile): Promise<string | null> {
  if (startsAsWhole(file.path)) return (await skimFile(file, { part: "ends" })).lasts.lastUpdated;
  const bytes = openBytes(file.path);
  try {
    for await (const { text } of linesBackwards(bytes, file.sizeBytes, {})) {
      const lasts = createLasts();
      const value = text.includes('"lastUpdated"') ? parsedOf(text) : null;
      if (isJson(value)) foldLasts(lasts, value);
      if (lasts.lastUpdated !== null) return lasts.lastUpdated;
    }
  } finally {
    bytes.close();
  }
  return null;
}

function parsedOf(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}

/** A file that is one object cannot be read in part. */
async function skimWhole(file: FoundFile, firsts: HeadFacts, lasts: TailFacts): Promise<SkimmedFile> {
  let torn = false;
  using source = openRecords(file.path, file.sizeBytes);
  for await (const records of source.scan()) {
    for (const { value, problems } of records) {
      torn ||= problems.some((problem) => problem.code === "torn_line");
      if (!isJson(value)) continue;
      foldFirsts(firsts, value);
      foldLasts(lasts, value);
    }
  }
  return { firsts, lasts, sawAll: true, torn };
}

function isComplete(firsts: HeadFacts): boolean {
  const { conversation, createdAt, directory, typed } = firsts;
  return conversation && createdAt !== null && directory !== undefined && typed !== null;
}

function summaryIn(record: Json): string | null {
  const lasts = createLasts();
  if (kindOf(record) !== "message") foldLasts(lasts, record);
  return lasts.summary;
}
