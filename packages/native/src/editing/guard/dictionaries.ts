/**
 * Makes dictionaries for compression from the beginnings of sessions of an agent, because sessions repeat its records,
 * instructions and names, and read the same files. Each dictionary is the previous one followed by the beginning of
 * another session; only that new part is stored, compressed with the previous dictionary. A piece that was compressed
 * with a dictionary names it at its beginning. A dictionary contains text of its sessions, so it is removed as soon as
 * the copy of one of them is removed; its pieces are then compressed without it.
 */

import { createHash } from "node:crypto";
import { closeSync, existsSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { ContinuoError, isFailure } from "@continuo/core/model";
import {
  isJson,
  listNames,
  makeFolderDurably,
  type Places,
  readAt,
  readJsonFile,
  removeDurably,
} from "@continuo/files";
import { writeNewFile } from "../../native/writing/index.ts";
import { guardFolder, keyOf, type SessionKey } from "./folder.ts";
import { hasManifest } from "./manifest-file.ts";
import { jsonIn, readPackedText, writePackedText } from "./packed-text.ts";

export interface Dictionary {
  readonly sha256: string;
  readonly bytes: Buffer;
}

/** A larger dictionary costs a millisecond for each piece, and saves little. */
const MAX_BYTES = 512 * 1024;
/**
 * This size is enough for the instructions and tools that an agent writes at the start of a session, and for some
 * files.
 */
const MAX_PART_BYTES = 160 * 1024;
const MIN_PART_BYTES = 2 * 1024;
/** A new part that is smaller than this share of the dictionary does not justify another dictionary. */
const LEAST_GROWTH = 1 / 8;
/** Sessions are text that repeats itself; a higher level costs more time than it saves bytes. */
const LEVEL = 12;
/**
 * At the higher level, Zstandard sorts the whole dictionary for each piece, which takes 16 ms for 160 kB. This level
 * takes 1 ms, and 3 % more bytes.
 */
const SMALL_PIECE_LEVEL = 9;
/** This level takes a fifth of the time of `LEVEL`, and a third more bytes. */
const QUICK_LEVEL = 3;

interface DictionaryEntry extends SessionKey {
  readonly sha256: string;
  readonly sizeBytes: number;
  /**
   * The previous dictionary, with which this one begins; missing in dictionaries of older versions, which are
   * independent.
   */
  readonly base?: string;
  /**
   * The number of bytes of its session in this dictionary and the previous ones; missing in dictionaries of older
   * versions, which have no previous one.
   */
  readonly upTo?: number;
}

/**
 * Returns the dictionary for a session that is stored now, extended by the beginning of the session if that saves
 * enough; `null` if there is none, or if it is damaged. Errors: those of the system.
 */
export function dictionaryFor(session: SessionKey, path: string, places: Places): Dictionary | null {
  const entries = readEntries(places);
  const newest = entries.findLast(({ agent }) => agent === session.agent);
  const known = entries.findLast((one) => keyOf(one) === keyOf(session));
  const from = known === undefined ? 0 : (known.upTo ?? known.sizeBytes);
  const before = newest === undefined ? null : wholeOrNull(newest, { entries, places });
  // The session is then stored without the dictionary.
  if (newest !== undefined && before === null) return null;
  const size = before?.bytes.length ?? 0;
  const least = Math.max(MIN_PART_BYTES, size * LEAST_GROWTH);
  const part = partOf(path, from, Math.min(MAX_PART_BYTES - from, MAX_BYTES - size));
  return part.length < least ? before : learn(session, { part, from, before }, { entries, places });
}

/** Returns `null` if the dictionary is damaged. */
function wholeOrNull(newest: DictionaryEntry, known: DictionaryContext): Dictionary | null {
  try {
    return readDictionary(newest, known);
  } catch (error) {
    if (isFailure(error)) return null;
    throw error;
  }
}

function partOf(path: string, from: number, most: number): Buffer {
  if (most <= 0) return Buffer.alloc(0);
  const fd = openSync(path, "r");
  try {
    return readAt(fd, from, most);
  } finally {
    closeSync(fd);
  }
}

interface DictionaryContext {
  readonly entries: readonly DictionaryEntry[];
  readonly places: Places;
}

interface NewPart {
  readonly part: Buffer;
  /** The position of this part in the session. */
  readonly from: number;
  readonly before: Dictionary | null;
}

function learn(
  session: SessionKey,
  { part, from, before }: NewPart,
  { entries, places }: DictionaryContext,
): Dictionary {
  const bytes = before === null ? part : Buffer.concat([before.bytes, part]);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const path = dictionaryPath(sha256, places);
  if (!existsSync(path)) {
    makeFolderDurably(dictionariesFolder(places));
    writeNewFile(path, compressed(part, before));
  }
  const { agent, sessionId } = session;
  const base = before === null ? {} : { base: before.sha256 };
  const entry: DictionaryEntry = {
    agent,
    sessionId,
    sha256,
    sizeBytes: bytes.length,
    ...base,
    upTo: from + part.length,
  };
  writeEntries([...entries.filter((one) => one.sha256 !== sha256), entry], places);
  return remembered({ sha256, bytes }, path);
}

/** The dictionaries that were already read, by path. */
const alreadyRead = new Map<string, Dictionary>();
const MAX_READ = 32;

function remembered(dictionary: Dictionary, path: string): Dictionary {
  if (alreadyRead.size >= MAX_READ) alreadyRead.clear();
  alreadyRead.set(path, dictionary);
  return dictionary;
}

/** Reads a dictionary and verifies its hash. Errors: `corrupt`. */
function readDictionary(
  { sha256, base }: Pick<DictionaryEntry, "sha256" | "base">,
  known: DictionaryContext,
): Dictionary {
  const path = dictionaryPath(sha256, known.places);
  const there = alreadyRead.get(path);
  if (there !== undefined) return there;
  const below = known.entries.find((one) => one.sha256 === base);
  const before = below === undefined ? null : readDictionary(below, known);
  let bytes: Buffer;
  try {
    const options = { maxOutputLength: MAX_BYTES, ...(before === null ? {} : { dictionary: before.bytes }) };
    const part = zstdDecompressSync(readFileSync(path), options);
    bytes = before === null ? part : Buffer.concat([before.bytes, part]);
  } catch (cause) {
    throw damaged(path, cause);
  }
  if (createHash("sha256").update(bytes).digest("hex") !== sha256) throw damaged(path);
  return remembered({ sha256, bytes }, path);
}

/** Reads all dictionaries again, and returns sentences about the damaged ones. */
export function damagedDictionaries(places: Places): readonly string[] {
  alreadyRead.clear();
  const entries = readEntries(places);
  return entries.flatMap((entry) => {
    try {
      readDictionary(entry, { entries, places });
      return [];
    } catch (error) {
      return [(error as Error).message];
    }
  });
}

/** The beginning of a frame that every reader of Zstandard skips. The frame contains the hash of the dictionary. */
const MARK = Buffer.from([0x5d, 0x2a, 0x4d, 0x18, 32, 0, 0, 0]);

export function packed(bytes: Buffer, dictionary: Dictionary | null): Buffer {
  const frame = compressed(bytes, dictionary);
  return dictionary === null ? frame : Buffer.concat([MARK, Buffer.from(dictionary.sha256, "hex"), frame]);
}

/** Compresses quickly, because an agent waits. */
export function packedQuickly(bytes: Buffer): Buffer {
  return zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: QUICK_LEVEL } });
}

function compressed(bytes: Buffer, dictionary: Dictionary | null): Buffer {
  const isSmall = dictionary !== null && bytes.length < dictionary.bytes.length;
  const params = { [constants.ZSTD_c_compressionLevel]: isSmall ? SMALL_PIECE_LEVEL : LEVEL };
  return zstdCompressSync(bytes, dictionary === null ? { params } : { params, dictionary: dictionary.bytes });
}

/** Errors: `corrupt` for a dictionary; those of the system for bytes that are not a complete frame. */
export function unpacked(bytes: Buffer, sizeBytes: number, places: Places): Buffer {
  const named = nameIn(bytes);
  const options = { maxOutputLength: Math.max(1, sizeBytes) };
  if (named === null) return zstdDecompressSync(bytes, options);
  const entries = readEntries(places);
  const entry = entries.find(({ sha256 }) => sha256 === named) ?? { sha256: named };
  const { bytes: dictionary } = readDictionary(entry, { entries, places });
  return zstdDecompressSync(bytes.subarray(MARK.length + 32), { ...options, dictionary });
}

function nameIn(bytes: Buffer): string | null {
  if (!bytes.subarray(0, MARK.length).equals(MARK)) return null;
  return bytes.toString("hex", MARK.length, MARK.length + 32);
}

/** Returns dictionaries with text of a session that no longer has a copy, and files that a killed run left. */
export function orphanedDictionaries(places: Places): ReadonlySet<string> {
  const orphaned = new Set(listNames(dictionariesFolder(places)).map((name) => name.replace(/\.zst$/u, "")));
  for (const { sha256 } of readEntries(places)) orphaned.delete(sha256);
  // An entry comes after the entry of the dictionary with which its own dictionary begins.
  for (const entry of readEntries(places)) {
    const isLeft = entry.base !== undefined && orphaned.has(entry.base);
    if (isLeft || !hasManifest(entry, places)) orphaned.add(entry.sha256);
  }
  return orphaned;
}

/** Packs bytes again without a dictionary; `null` if they need none of these dictionaries. Errors: as `unpacked`. */
export function withoutDictionary(
  bytes: Buffer,
  orphaned: ReadonlySet<string>,
  sizeBytes: number,
  places: Places,
): Buffer | null {
  const named = nameIn(bytes);
  return named !== null && orphaned.has(named) ? packed(unpacked(bytes, sizeBytes, places), null) : null;
}

/** Removes dictionaries, on which no piece may depend any more, and files that a killed run left. */
export function removeDictionaries(orphaned: ReadonlySet<string>, places: Places): void {
  const kept = readEntries(places).filter(({ sha256 }) => !orphaned.has(sha256));
  writeEntries(kept, places);
  const names = new Set(kept.map(({ sha256 }) => `${sha256}.zst`));
  for (const name of listNames(dictionariesFolder(places))) {
    if (!names.has(name)) removeDurably(join(dictionariesFolder(places), name));
  }
  alreadyRead.clear();
}

function readEntries(places: Places): readonly DictionaryEntry[] {
  const list =
    jsonIn(readPackedText(entriesPath(places))) ?? readJsonFile(plainEntriesPath(places))?.dictionaries;
  return Array.isArray(list) ? list.filter(isEntry) : [];
}

function isEntry(value: unknown): value is DictionaryEntry {
  if (!isJson(value)) return false;
  const { agent, sessionId, sha256, sizeBytes } = value;
  return [agent, sessionId, sha256].every((one) => typeof one === "string") && typeof sizeBytes === "number";
}

function writeEntries(dictionaries: readonly DictionaryEntry[], places: Places): void {
  writePackedText(entriesPath(places), JSON.stringify(dictionaries));
  if (existsSync(plainEntriesPath(places))) removeDurably(plainEntriesPath(places));
}

function entriesPath(places: Places): string {
  return join(guardFolder(places), "dictionaries.json.zst");
}

/** The path that older versions of Continuo used. */
function plainEntriesPath(places: Places): string {
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
