/**
 * What skims found out about files, kept for the next list: an answer counts for one path, size, inode and time of
 * change, and is never given for another.
 */

import type { DatabaseSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import type { FoundFile } from "../files/index.ts";
import type { MemoKey, SavedSkimMemo } from "../native/kit/index.ts";
import { inTransaction, useIndex } from "./file.ts";
import { SETTLED_AFTER_MS } from "./limits.ts";

type Answers = { [name: string]: unknown };

/** The tables of rows: a list reads all of the first. */
export type RowTable = "files" | "usage";

/** @param nowMs milliseconds since 1970 */
export function openRows(path: string, nowMs: number, table: RowTable = "files"): SavedSkimMemo {
  const used = new Map<string, UsedRow>();
  const changed = new Set<string>();
  let reading: Promise<ReadonlyMap<string, KnownRow>> | null = null;
  let known: ReadonlyMap<string, KnownRow> | null = null;
  const readKnown = async (): Promise<ReadonlyMap<string, KnownRow>> => {
    reading ??= readRows(path, table);
    known = await reading;
    return known;
  };
  // A list asks thousands of times: without a promise for each.
  const usedRowOf = (files: readonly FoundFile[], known: ReadonlyMap<string, KnownRow>): UsedRow => {
    const name = files[0]?.path ?? "";
    const stamp = stampOf(files);
    const before = used.get(name);
    if (before?.stamp === stamp) return before;
    const row = { stamp, answers: parseAnswers(known.get(name), name, stamp) ?? {} };
    used.set(name, row);
    return row;
  };
  return {
    async remember<T>(
      looked: FoundFile | readonly FoundFile[],
      key: MemoKey,
      compute: () => Promise<T>,
    ): Promise<T> {
      const files = "path" in looked ? [looked] : looked;
      const { answers } = usedRowOf(files, known ?? (await readKnown()));
      const name = answersTo(key).find((one) => Object.hasOwn(answers, one));
      if (name !== undefined) return answers[name] as T;
      const answer = await compute();
      if (!isSettled(files, nowMs)) return answer;
      answers[nameOf(key)] = answer;
      changed.add(files[0]?.path ?? "");
      return answer;
    },
    async save(asked) {
      const before = known ?? (await readKnown());
      const gone = asked === "everything" ? [...before.keys()].filter((name) => !used.has(name)) : [];
      if (changed.size === 0 && gone.length === 0) return;
      await useIndex(path, "write", (database) => writeRows(database, { table, used, changed, gone }));
    },
  };
}

interface UsedRow {
  readonly stamp: string;
  readonly answers: Answers;
}

interface KnownRow {
  readonly stamp: string;
  readonly answers: string;
  readonly checksum: number;
}

async function readRows(path: string, table: RowTable): Promise<ReadonlyMap<string, KnownRow>> {
  const rows = new Map<string, KnownRow>();
  await useIndex(path, "read", (database) => {
    const select = database.prepare(`select path, stamp, answers, checksum from ${table}`);
    select.setReturnArrays(true);
    for (const row of select.iterate()) {
      const [name, stamp, answers, checksum] = row as unknown as [string, string, string, number];
      rows.set(name, { stamp, answers, checksum });
    }
  });
  return rows;
}

interface Changes {
  readonly table: RowTable;
  readonly used: ReadonlyMap<string, UsedRow>;
  readonly changed: ReadonlySet<string>;
  readonly gone: readonly string[];
}

function writeRows(database: DatabaseSync, { table, used, changed, gone }: Changes): void {
  inTransaction(database, () => {
    const remove = database.prepare(`delete from ${table} where path = ?`);
    for (const name of gone) remove.run(name);
    const insert = database.prepare(
      `insert or replace into ${table} (path, stamp, answers, checksum) values (?, ?, ?, ?)`,
    );
    for (const name of changed) {
      const row = used.get(name);
      if (row === undefined) continue;
      const answers = JSON.stringify(row.answers);
      insert.run(name, row.stamp, answers, checksumOf(name, row.stamp, answers));
    }
  });
}

/** Of another state of the file, or of a damaged row: none. */
function parseAnswers(row: KnownRow | undefined, name: string, stamp: string): Answers | null {
  if (row === undefined || row.stamp !== stamp) return null;
  if (checksumOf(name, stamp, row.answers) !== row.checksum) return null;
  return JSON.parse(row.answers);
}

function checksumOf(name: string, stamp: string, answers: string): number {
  return crc32(answers, crc32(stamp, crc32(name)));
}

/** The files after the first are named: their paths are part of what the answer stands for. */
export function stampOf(files: readonly FoundFile[]): string {
  const [only] = files;
  if (only !== undefined && files.length === 1) return ` ${numbersOf(only)}`;
  return files
    .map((file, at) => `${at === 0 ? "" : JSON.stringify(file.path)} ${numbersOf(file)}`)
    .join("\n");
}

/** Whether a later change of any of the files shows in its stamp. */
export function isSettled(files: readonly FoundFile[], nowMs: number): boolean {
  return files.every(({ mtimeMs, ctimeMs }) => nowMs - Math.max(mtimeMs, ctimeMs) >= SETTLED_AFTER_MS);
}

function numbersOf({ sizeBytes, mtimeMs, ctimeMs, inode }: FoundFile): string {
  return `${sizeBytes} ${mtimeMs} ${ctimeMs} ${inode}`;
}

/** The names of the answers that a question takes, the best first. */
function answersTo(key: MemoKey): string[] {
  return key.part === "ends" ? [nameOf({ ...key, part: "whole" }), nameOf(key)] : [nameOf(key)];
}

function nameOf({ what, part }: MemoKey): string {
  return part === undefined ? what : `${what} ${part}`;
}
