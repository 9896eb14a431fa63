/**
 * The row of a session: what the list shows, folded from its records.
 *
 * | field | rule |
 * |---|---|
 * | createdAt | `startTime` of the header, else the time of the first record that has one |
 * | updatedAt | the time of the last record that has one, but not before `createdAt` |
 * | cwd, gitBranch | `context` of the header |
 * | title | `name` of `workspace.yaml`, else the first prompt of the person |
 *
 * The first facts and the last facts are folded separately, so that a skim can search for the first from the start of
 * the file, and for the last from its end. A full read folds both over every record.
 */

import type { Json } from "@continuo/files";
import { type RowFacts, toTitle } from "../kit/index.ts";
import { type Header, parseHeader, timeOf, typedText } from "./records.ts";

export interface HeadFacts {
  /** The first header, even if it is not the first record. */
  header: Header | null;
  /** True if the first record is a header; `null` before the first record. */
  headed: boolean | null;
  time: string | null;
  typed: string | null;
}

export interface TailFacts {
  time: string | null;
}

export function createFirsts(): HeadFacts {
  return { header: null, headed: null, time: null, typed: null };
}

export function createLasts(): TailFacts {
  return { time: null };
}

/** The records come in file order. */
export function foldFirsts(firsts: HeadFacts, record: Json): void {
  const header = parseHeader(record);
  firsts.headed ??= header !== null;
  firsts.header ??= header;
  firsts.time ??= timeOf(record);
  firsts.typed ??= toTitle(typedText(record));
}

/** The records come in file order. */
export function foldLasts(lasts: TailFacts, record: Json): void {
  lasts.time = timeOf(record) ?? lasts.time;
}

/** The records come from the last to the first. */
export function foldLastsBackwards(lasts: TailFacts, record: Json): void {
  lasts.time ??= timeOf(record);
}

/** @param name the title next to the file; `null` for none. */
export function finishRow(firsts: HeadFacts, lasts: TailFacts, name: string | null): RowFacts {
  const createdAt = firsts.header?.createdAt ?? firsts.time;
  return {
    title: name ?? firsts.typed,
    cwd: firsts.header?.cwd ?? null,
    gitBranch: firsts.header?.gitBranch ?? null,
    createdAt,
    updatedAt: later(createdAt, lasts.time),
  };
}

function later(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return a > b ? a : b;
}
