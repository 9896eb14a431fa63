/**
 * The row of a session: what the list shows, folded from its records.
 *
 * | field | rule |
 * |---|---|
 * | createdAt | `timestamp` of the header, else of the first record that has one |
 * | updatedAt | `timestamp` of the last record that has one, but not before `createdAt` (a fork has older entries) |
 * | cwd | `cwd` of the header |
 * | title | the last `session_info` (an empty one removes the name), else the first text typed in any branch |
 * | forkedFrom | the session in the name of the header's `parentSession`, else that path |
 *
 * pi keeps no git branch. The first and the last values are folded separately, so that a skim can look for the first
 * ones from the start of the file, and for the last ones from its end. A full read folds both over every record.
 */

import type { Json } from "@continuo/files";
import { toTitle } from "../kit/index.ts";
import { sessionIdOf } from "./places.ts";
import { type Header, namedBy, parseHeader, timeOf, typedText } from "./records.ts";

export interface HeadFacts {
  /** The first header, even if it is not the first record. */
  header: Header | null;
  /** True if it is the first record: pi refuses the file otherwise. */
  headed: boolean | null;
  time: string | null;
  typed: string | null;
}

export interface TailFacts {
  time: string | null;
  /** `undefined` until a `session_info` was seen; `""` if the name was taken back. */
  name: string | undefined;
}

export function createFirsts(): HeadFacts {
  return { header: null, headed: null, time: null, typed: null };
}

export function createLasts(): TailFacts {
  return { time: null, name: undefined };
}

/** Call it for the records in file order. */
export function foldFirsts(firsts: HeadFacts, record: Json): void {
  const header = parseHeader(record);
  firsts.headed ??= header !== null;
  firsts.header ??= header;
  firsts.time ??= timeOf(record);
  firsts.typed ??= toTitle(typedText(record));
}

/** Call it for the records in file order. */
export function foldLasts(lasts: TailFacts, record: Json): void {
  lasts.time = timeOf(record) ?? lasts.time;
  lasts.name = namedBy(record) ?? lasts.name;
}

/** Call it for the records from the last one to the first. */
export function foldLastsBackwards(lasts: TailFacts, record: Json): void {
  lasts.time ??= timeOf(record);
  lasts.name ??= namedBy(record) ?? undefined;
}

export interface Row {
  readonly title: string | null;
  readonly cwd: string | null;
  readonly gitBranch: null;
  readonly createdAt: string | null;
  readonly updatedAt: string | null;
  readonly forkedFrom: string | null;
}

export function finishRow(firsts: HeadFacts, lasts: TailFacts): Row {
  const createdAt = firsts.header?.createdAt ?? firsts.time;
  const parent = firsts.header?.parentSession ?? null;
  return {
    title: toTitle(lasts.name) ?? firsts.typed,
    cwd: firsts.header?.cwd ?? null,
    gitBranch: null,
    createdAt,
    updatedAt: later(createdAt, lasts.time),
    forkedFrom: parent === null ? null : (sessionIdOf(parent) ?? parent),
  };
}

/** A byte search for titles looks for this word. */
export const TITLE_MARKER = "session_info";

function later(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return a > b ? a : b;
}
