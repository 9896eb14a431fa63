/**
 * Dictionaries for compression: the beginning of one session of an agent, because all sessions of an agent begin with the same
 * records, instructions and names. A piece that was compressed with one says so in front. A dictionary holds words of its session,
 * and so it goes with the copy of that session: the pieces are then compressed without it.
 */

import { createHash } from "node:crypto";
import { closeSync, existsSync, openSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { ContinuoError } from "@continuo/core/model";
import {
  isJson,
  listNames,
  makeFolderDurably,
  type Places,
  readJsonFile,
  removeDurably,
  writeDurably,
} from "@continuo/files";
import { writeNewFile } from "../../native/writing/index.ts";
import { guardFolder, manifestPath, type SessionKey } from "./folder.ts";

export interface Dictionary {
  readonly sha256: string;
  readonly bytes: Buffer;
}

/** One of these is enough for the instructions and tools that an agent writes at the start of each session. */
const MAX_BYTES = 160 * 1024;
const MIN_BYTES = 2 * 1024;
/** A dictionary is replaced for later pieces by one that is so many times as large. */
const GROWTH = 2;
/** Sessions are text that repeats itself; a higher level costs more time than it saves bytes. */
const LEVEL = 9;

interface Entry extends SessionKey {
  readonly sha256: string;
  readonly sizeBytes: number;
}

/** The one for a session that is stored now, made of its own beginning where there is none, or only a small one. Errors: the system's. */
export function dictionaryFor(session: SessionKey, path: string, places: Places): Dictionary | null {
  const entries = readEntries(places);
  const newest = entries.filter(({ agent }) => agent === session.agent).at(-1);
  if (newest === undefined || newest.sizeBytes * GROWTH <= MAX_BYTES) {
    const bytes = headOf(path);
    if (bytes.length >= Math.max(MIN_BYTES, (newest?.sizeBytes ?? 0) * GROWTH))
      return learn(session, bytes, entries, places);
  }
  return newest === undefined ? null : readDictionary(newest.sha256, places);
}

function headOf(path: string): Buffer {
  const fd = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(MAX_BYTES);
    return bytes.subarray(0, readSync(fd, bytes, 0, MAX_BYTES, 0));
  } finally {
    closeSync(fd);
  }
}

function learn(session: SessionKey, bytes: Buffer, entries: readonly Entry[], places: Places): Dictionary {
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const path = dictionaryPath(sha256, places);
  if (!existsSync(path)) {
    makeFolderDurably(dictionariesFolder(places));
    writeNewFile(path, compressed(bytes, null));
  }
  const { agent, sessionId } = session;
  const entry: Entry = { agent, sessionId, sha256, sizeBytes: bytes.length };
  writeEntries([...entries.filter((one) => one.sha256 !== sha256), entry], places);
  return { sha256, bytes };
}

let lastRead: { readonly path: string; readonly dictionary: Dictionary } | null = null;

/** Verified by its hash. Errors: `corrupt`. */
function readDictionary(sha256: string, places: Places): Dictionary {
  const path = dictionaryPath(sha256, places);
  if (lastRead?.path === path) return lastRead.dictionary;
  let bytes: Buffer;
  try {
    bytes = zstdDecompressSync(readFileSync(path), { maxOutputLength: MAX_BYTES });
  } catch (cause) {
    throw damaged(path, cause);
  }
  if (createHash("sha256").update(bytes).digest("hex") !== sha256) throw damaged(path);
  lastRead = { path, dictionary: { sha256, bytes } };
  return lastRead.dictionary;
}

/** Sentences about dictionaries that are not as they were stored; all are read again. */
export function damagedDictionaries(places: Places): readonly string[] {
  lastRead = null;
  return readEntries(places).flatMap(({ sha256 }) => {
    try {
      readDictionary(sha256, places);
      return [];
    } catch (error) {
      return [(error as Error).message];
    }
  });
}

/** A frame that every reader of Zstandard skips: it holds the hash of the dictionary. */
const MARK = Buffer.from([0x5d, 0x2a, 0x4d, 0x18, 32, 0, 0, 0]);

export function packed(bytes: Buffer, dictionary: Dictionary | null): Buffer {
  const frame = compressed(bytes, dictionary);
  return dictionary === null ? frame : Buffer.concat([MARK, Buffer.from(dictionary.sha256, "hex"), frame]);
}

function compressed(bytes: Buffer, dictionary: Dictionary | null): Buffer {
  const params = { [constants.ZSTD_c_compressionLevel]: LEVEL };
  return zstdCompressSync(bytes, dictionary === null ? { params } : { params, dictionary: dictionary.bytes });
}

/** Errors: `corrupt` for a dictionary; the system's for bytes that are no whole frame. */
export function unpacked(bytes: Buffer, sizeBytes: number, places: Places): Buffer {
  const named = nameIn(bytes);
  const options = { maxOutputLength: Math.max(1, sizeBytes) };
  if (named === null) return zstdDecompressSync(bytes, options);
  const { bytes: dictionary } = readDictionary(named, places);
  return zstdDecompressSync(bytes.subarray(MARK.length + 32), { ...options, dictionary });
}

function nameIn(bytes: Buffer): string | null {
  if (!bytes.subarray(0, MARK.length).equals(MARK)) return null;
  return bytes.toString("hex", MARK.length, MARK.length + 32);
}

/** Those whose session has no copy any more. */
export function orphanedDictionaries(places: Places): ReadonlySet<string> {
  const orphaned = readEntries(places).filter((session) => !existsSync(manifestPath(session, places)));
  return new Set(orphaned.map(({ sha256 }) => sha256));
}

/** The same bytes without one of these dictionaries; `null` where they need none of them. Errors: as `unpacked`. */
export function withoutDictionary(
  bytes: Buffer,
  orphaned: ReadonlySet<string>,
  sizeBytes: number,
  places: Places,
): Buffer | null {
  const named = nameIn(bytes);
  return named !== null && orphaned.has(named) ? packed(unpacked(bytes, sizeBytes, places), null) : null;
}

/** Nothing may be packed with them any more. Files that a killed run left go too. */
export function removeDictionaries(orphaned: ReadonlySet<string>, places: Places): void {
  const kept = readEntries(places).filter(({ sha256 }) => !orphaned.has(sha256));
  writeEntries(kept, places);
  const names = new Set(kept.map(({ sha256 }) => `${sha256}.zst`));
  for (const name of listNames(dictionariesFolder(places))) {
    if (!names.has(name)) removeDurably(join(dictionariesFolder(places), name));
  }
  lastRead = null;
}

function readEntries(places: Places): readonly Entry[] {
  const record = readJsonFile(entriesPath(places));
  return Array.isArray(record?.dictionaries) ? record.dictionaries.filter(isEntry) : [];
}

function isEntry(value: unknown): value is Entry {
  if (!isJson(value)) return false;
  const { agent, sessionId, sha256, sizeBytes } = value;
  return [agent, sessionId, sha256].every((one) => typeof one === "string") && typeof sizeBytes === "number";
}

function writeEntries(dictionaries: readonly Entry[], places: Places): void {
  writeDurably(entriesPath(places), JSON.stringify({ version: 1, dictionaries }));
}

function entriesPath(places: Places): string {
  return join(guardFolder(places), "dictionaries.json");
}

function dictionariesFolder(places: Places): string {
  return join(guardFolder(places), "dictionaries");
}

function dictionaryPath(sha256: string, places: Places): string {
  return join(dictionariesFolder(places), `${sha256}.zst`);
}

function damaged(path: string, cause?: unknown): ContinuoError {
  return new ContinuoError("corrupt", `${path} is damaged: it is not what the guard stored`, {
    hint: "Restore the folder of the guard from a backup; `continuo guard verify` names every session that is affected.",
    details: { path },
    ...(cause === undefined ? {} : { cause }),
  });
}
