/**
 * Stores short answers about all files in one row, because a list needs only a few facts about each of thousands of
 * files. The row consists of columns, not of JSON: a file is found by its path, its state is compared as numbers, and
 * only requested answers are parsed.
 */

import type { DatabaseSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import type { FoundFile } from "@continuo/files";

export type Answers = { [name: string]: unknown };

export interface Summary {
  /** The answers about this state of the file; `null` if there are none. */
  find(file: FoundFile): Answers | null;
  isAsked(path: string): boolean;
  /** The files with stored answers that `find` was never called for. */
  unasked(): readonly string[];
}

/** Answers about one state of a file; `null` removes the stored answer. */
export type SummaryChange = { readonly file: FoundFile; readonly answers: Answers } | null;

/** The number of values that are stored for each file: size, `mtime`, `ctime` and inode. */
export const WIDTH = 4;
/** The separator of paths and answers: no path contains it, and JSON escapes it. */
const END = "\0";

/** Returns an empty summary if the row is missing or damaged. */
export function readSummary(database: DatabaseSync, table: string): Summary {
  const { paths, numbers, answers } = readColumns(database, table);
  const places = new Map<string, number>();
  for (let at = 0; at < paths.length; at++) places.set(paths[at] ?? "", at);
  const parsed = new Map<number, Answers>();
  const asked = new Uint8Array(paths.length);
  return {
    find(file) {
      const at = places.get(file.path);
      if (at === undefined) return null;
      asked[at] = 1;
      if (!isSame(file, numbers, at * WIDTH)) return null;
      const before = parsed.get(at);
      if (before !== undefined) return before;
      const found: Answers = JSON.parse(answers[at] ?? "{}");
      parsed.set(at, found);
      return found;
    },
    isAsked: (path) => asked[places.get(path) ?? -1] === 1,
    unasked: () => paths.filter((_, at) => asked[at] === 0),
  };
}

/** Must be called within a transaction. */
export function changeSummary(
  database: DatabaseSync,
  table: string,
  changes: ReadonlyMap<string, SummaryChange>,
): void {
  const texts = [...changes].map(([path, change]): [string, ColumnChange] => {
    if (change === null) return [path, null];
    return [path, { file: change.file, text: toAscii(JSON.stringify(change.answers)) }];
  });
  changeColumns(database, table, new Map(texts));
}

/** The text of one state of a file; `null` removes the stored one. */
export type ColumnChange = { readonly file: FoundFile; readonly text: string } | null;

/** Must be called within a transaction. A text must not contain the character U+0000. */
export function changeColumns(
  database: DatabaseSync,
  name: string,
  changes: ReadonlyMap<string, ColumnChange>,
): void {
  const { paths, numbers, answers } = readColumns(database, name);
  const entries = new Map<string, readonly [numbers: readonly number[], text: string]>();
  for (const [at, path] of paths.entries()) {
    entries.set(path, [[...numbers.subarray(at * WIDTH, (at + 1) * WIDTH)], answers[at] ?? "{}"]);
  }
  for (const [path, change] of changes) {
    if (change === null) entries.delete(path);
    else entries.set(path, [numbersOf(change.file), change.text]);
  }
  const text = Buffer.from([...entries].flatMap(([path, [, known]]) => [path, known]).join(END));
  const all = new Uint8Array(Float64Array.from([...entries.values()].flatMap(([some]) => some)).buffer);
  database
    .prepare("insert or replace into brief (name, entries, numbers, checksum) values (?, ?, ?, ?)")
    .run(name, text, all, crc32(all, crc32(text)));
}

/** Paths, the four numbers of each, and its text. */
export interface Columns {
  readonly paths: readonly string[];
  readonly numbers: Float64Array;
  readonly answers: readonly string[];
}

export function readColumns(database: DatabaseSync, table: string): Columns {
  const row = database.prepare("select entries, numbers, checksum from brief where name = ?").get(table);
  const { entries, numbers: bytes, checksum } = row ?? {};
  const none = { paths: [], numbers: new Float64Array(), answers: [] };
  if (!(entries instanceof Uint8Array) || !(bytes instanceof Uint8Array)) return none;
  if (crc32(bytes, crc32(entries)) !== checksum || entries.length === 0) return none;
  const parts = Buffer.from(entries.buffer, entries.byteOffset, entries.length).toString("utf8").split(END);
  const [paths, answers]: [string[], string[]] = [[], []];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    paths.push(parts[at] ?? "");
    answers.push(parts[at + 1] ?? "");
  }
  return { paths, numbers: new Float64Array(Uint8Array.from(bytes).buffer), answers };
}

function numbersOf({ sizeBytes, mtimeMs, ctimeMs, inode }: FoundFile): readonly number[] {
  return [sizeBytes, mtimeMs, ctimeMs, inode];
}

function isSame(
  { sizeBytes, mtimeMs, ctimeMs, inode }: FoundFile,
  numbers: Float64Array,
  at: number,
): boolean {
  return (
    numbers[at] === sizeBytes &&
    numbers[at + 1] === mtimeMs &&
    numbers[at + 2] === ctimeMs &&
    numbers[at + 3] === inode
  );
}

/** A single character outside Latin-1 would double the size of the text in memory. */
function toAscii(json: string): string {
  return json.replace(/[^\0-\x7f]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
