/**
 * Results of skims, stored for the next list: a result is valid for one path, size, inode and time of change, and is
 * never returned for another.
 */

import { existsSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import type { FoundFile } from "@continuo/files";
import type { KnownFiles, MemoKey, SavedSkimMemo } from "../native/kit/index.ts";
import { inTransaction, useIndex } from "./index-database.ts";
import { changeLines, createKnownLines, type KnownLines } from "./known-lines.ts";
import { SETTLED_AFTER_MS } from "./limits.ts";
import { type Answers, changeSummary, readSummary, type Summary, type SummaryChange } from "./summary-row.ts";

/** The tables of rows. A list needs only `files`. */
export type RowTable = "files" | "usage";

/** @param nowMs milliseconds since 1970 */
export function openRows(path: string, nowMs: number, table: RowTable = "files"): SavedSkimMemo {
  const stored = createStored(path, table);
  const rows = new Map<string, UsedRow>();
  const asked = new Set<string>();
  const changed = new Set<string>();
  const brief = createBriefAnswers(stored);
  let lines: KnownLines | null = null;
  let last: { readonly files: readonly FoundFile[]; readonly row: UsedRow } | null = null;
  // The answer is not a promise, because a list asks thousands of times.
  const rowOf = (files: readonly FoundFile[], find: FindAnswers): UsedRow => {
    if (last !== null && areIdentical(last.files, files)) return last.row;
    const name = files[0]?.path ?? "";
    const stamp = stampOf(files);
    asked.add(name);
    let row = rows.get(name);
    if (row?.stamp !== stamp) {
      const found = find(name, stamp);
      row = { stamp, answers: found?.answers ?? {} };
      // The large row of a database is kept, because it is read again for each of its sessions. Small rows are parsed
      // again: thousands of them would only fill the memory.
      if (rows.has(name) || (found?.chars ?? 0) > MOST_PARSED_AGAIN) rows.set(name, row);
    }
    last = { files, row };
    return row;
  };
  return {
    known: (file, key) => brief.known(file, nameOf(key)) as undefined,
    async remember<T>(
      looked: FoundFile | readonly FoundFile[],
      key: MemoKey,
      compute: () => Promise<T>,
    ): Promise<T> {
      const files = "path" in looked ? [looked] : looked;
      // No answer about such a file is stored.
      if (!isSettled(files, nowMs)) return await compute();
      if (key.isBrief === true) {
        const [file] = files;
        if (file === undefined || files.length > 1) throw new Error("a brief answer is about one file");
        await stored.brief();
        const known = brief.known(file, nameOf(key));
        if (known !== undefined) return known as T;
        const answer = await compute();
        if (answer !== undefined) brief.add(file, nameOf(key), answer);
        return answer;
      }
      const row = rowOf(files, await stored.rows(files[0]?.path ?? ""));
      const { answers } = row;
      const name = answersTo(key).find((one) => Object.hasOwn(answers, one));
      if (name !== undefined) return answers[name] as T;
      const answer = await compute();
      if (answer === undefined) return answer;
      answers[nameOf(key)] = answer;
      rows.set(files[0]?.path ?? "", row);
      changed.add(files[0]?.path ?? "");
      return answer;
    },
    async knownFiles(): Promise<KnownFiles> {
      lines ??= await createKnownLines(path, (file) => isSettled([file], nowMs));
      return lines;
    },
    expect: (files) => stored.expect(files.map(({ path }) => path)),
    async save(part) {
      const isChanged = changed.size + brief.changed.size + (lines?.changed.size ?? 0) > 0;
      const names = part === "part" ? [] : await unasked(stored, lines, isChanged);
      const gone = names.filter((name) => !asked.has(name) && !existsSync(name));
      if (!isChanged && gone.length === 0) return;
      await useIndex(path, "write", (database) =>
        writeRows(database, { table, rows, changed, brief: brief.changed, lines: lines?.changed, gone }),
      );
    },
  };
}

/** A list and a search read different files, so a row is removed only if its file is gone. */
async function unasked(
  stored: LazyRows,
  lines: KnownLines | null,
  isChanged: boolean,
): Promise<readonly string[]> {
  if (lines === null) return await stored.unasked();
  const gone = lines.unasked().filter((name) => !existsSync(name));
  // If nothing changed and no known file is gone, the other rows are not read to look for files that are gone.
  if (!isChanged && gone.length === 0) return [];
  return [...new Set([...gone, ...(await stored.unasked()).filter((name) => !lines.isAsked(name))])];
}

/** Answers of at most this many characters are parsed again instead of being kept in memory. */
const MOST_PARSED_AGAIN = 16_384;

/** The files of a session are the same objects for each question about it. */
function areIdentical(some: readonly FoundFile[], others: readonly FoundFile[]): boolean {
  return some.length === others.length && some.every((file, at) => file === others[at]);
}

interface UsedRow {
  readonly stamp: string;
  readonly answers: Answers;
}

interface BriefAnswers {
  /** Files with new answers. */
  readonly changed: ReadonlyMap<string, NonNullable<SummaryChange>>;
  /** `undefined` before the summary was read, and for an unknown value. */
  known(file: FoundFile, name: string): unknown;
  add(file: FoundFile, name: string, answer: unknown): void;
}

function createBriefAnswers({ summary }: LazyRows): BriefAnswers {
  const changed = new Map<string, NonNullable<SummaryChange>>();
  const answersOf = (file: FoundFile): Answers | null => {
    const change = changed.size === 0 ? undefined : changed.get(file.path);
    if (change !== undefined && stampOf([change.file]) === stampOf([file])) return change.answers;
    return summary()?.find(file) ?? null;
  };
  return {
    changed,
    known(file, name) {
      const answers = answersOf(file);
      return answers !== null && Object.hasOwn(answers, name) ? answers[name] : undefined;
    },
    add: (file, name, answer) =>
      void changed.set(file.path, { file, answers: { ...answersOf(file), [name]: answer } }),
  };
}

type FindAnswers = (name: string, stamp: string) => FoundAnswers | null;

interface FoundAnswers {
  readonly answers: Answers;
  /** The length of their text. */
  readonly chars: number;
}

/** The rows of the file, read when they are first needed. */
interface LazyRows {
  /** `null` until it was read. */
  summary(): Summary | null;
  brief(): Summary | Promise<Summary>;
  /** Reads all rows, unless they or the row with this name were read before, and returns a function that finds rows. */
  rows(name: string): FindAnswers | Promise<FindAnswers>;
  expect(names: readonly string[]): Promise<void>;
  /** The files in all rows that were read, except those that were requested from the summary. */
  unasked(): Promise<readonly string[]>;
}

function createStored(path: string, table: RowTable): LazyRows {
  let summary: Summary | null = null;
  let all: ReadonlyMap<string, KnownRow> | null = null;
  const expected = new Map<string, KnownRow | null>();
  const findRow: FindAnswers = (name, stamp) => {
    return parseAnswers(all?.get(name) ?? expected.get(name) ?? undefined, name, stamp);
  };
  const load = async (): Promise<Summary> => {
    const read = await useIndex(path, "read", (database) => readSummary(database, table));
    summary ??= read.state === "ready" ? read.value : NO_SUMMARY;
    return summary;
  };
  return {
    summary: () => summary,
    brief: () => summary ?? load(),
    rows(name) {
      if (all !== null || expected.has(name)) return findRow;
      return readRows(path, table).then((rows) => {
        all = rows;
        return findRow;
      });
    },
    async expect(names) {
      if (all !== null) return;
      const rows = await readRows(path, table, names);
      for (const name of names) expected.set(name, rows.get(name) ?? null);
    },
    async unasked() {
      const brief = summary ?? (await load());
      const others = [...(all?.keys() ?? expected.keys())].filter((name) => !brief.isAsked(name));
      return [...new Set([...brief.unasked(), ...others])];
    },
  };
}

const NO_SUMMARY: Summary = { find: () => null, isAsked: () => false, unasked: () => [] };

interface KnownRow {
  readonly stamp: string;
  readonly answers: string;
  readonly checksum: number;
}

/** @param names the paths of the files whose rows are read; all by default */
async function readRows(
  path: string,
  table: RowTable,
  names?: readonly string[],
): Promise<ReadonlyMap<string, KnownRow>> {
  const rows = new Map<string, KnownRow>();
  await useIndex(path, "read", (database) => {
    const some = names === undefined ? "" : " where path in (select value from json_each(?))";
    const select = database.prepare(`select path, stamp, answers, checksum from ${table}${some}`);
    select.setReturnArrays(true);
    for (const row of select.iterate(...(names === undefined ? [] : [JSON.stringify(names)]))) {
      const [name, stamp, answers, checksum] = row as unknown as [string, string, string, number];
      rows.set(name, { stamp, answers, checksum });
    }
  });
  return rows;
}

interface Changes {
  readonly table: RowTable;
  readonly rows: ReadonlyMap<string, UsedRow>;
  readonly changed: ReadonlySet<string>;
  readonly brief: BriefAnswers["changed"];
  readonly lines: KnownLines["changed"] | undefined;
  readonly gone: readonly string[];
}

function writeRows(database: DatabaseSync, { table, rows, changed, brief, lines, gone }: Changes): void {
  inTransaction(database, () => {
    const remove = database.prepare(`delete from ${table} where path = ?`);
    for (const name of gone) remove.run(name);
    const insert = database.prepare(
      `insert or replace into ${table} (path, stamp, answers, checksum) values (?, ?, ?, ?)`,
    );
    for (const name of changed) {
      const row = rows.get(name);
      if (row === undefined) continue;
      const answers = JSON.stringify(row.answers);
      insert.run(name, row.stamp, answers, checksumOf(name, row.stamp, answers));
    }
    const removed = gone.map((name) => [name, null] as const);
    // Another process may have written in the meantime.
    if (brief.size + gone.length > 0) changeSummary(database, table, new Map([...removed, ...brief]));
    if (lines !== undefined && lines.size + gone.length > 0)
      changeLines(database, new Map([...removed, ...lines]));
  });
}

/** Returns no answers for another state of the file or a damaged row. */
function parseAnswers(row: KnownRow | undefined, name: string, stamp: string): FoundAnswers | null {
  if (row === undefined || row.stamp !== stamp) return null;
  if (checksumOf(name, stamp, row.answers) !== row.checksum) return null;
  return { answers: JSON.parse(row.answers), chars: row.answers.length };
}

function checksumOf(name: string, stamp: string, answers: string): number {
  return crc32(name + stamp + answers);
}

/** A stamp of several files also contains the paths of all files but the first one. */
export function stampOf(files: readonly FoundFile[]): string {
  const [only] = files;
  if (only !== undefined && files.length === 1) return ` ${numbersOf(only)}`;
  return files
    .map((file, at) => `${at === 0 ? "" : JSON.stringify(file.path)} ${numbersOf(file)}`)
    .join("\n");
}

/** True if a later change of any of the files shows in its stamp. */
export function isSettled(files: readonly FoundFile[], nowMs: number): boolean {
  return files.every(({ mtimeMs, ctimeMs }) => nowMs - Math.max(mtimeMs, ctimeMs) >= SETTLED_AFTER_MS);
}

function numbersOf({ sizeBytes, mtimeMs, ctimeMs, inode }: FoundFile): string {
  return `${sizeBytes} ${mtimeMs} ${ctimeMs} ${inode}`;
}

/** The names of the answers that a question accepts, the best first. */
function answersTo(key: MemoKey): string[] {
  return key.part === "ends" ? [nameOf({ ...key, part: "whole" }), nameOf(key)] : [nameOf(key)];
}

function nameOf({ what, part }: MemoKey): string {
  return part === undefined ? what : `${what} ${part}`;
}
