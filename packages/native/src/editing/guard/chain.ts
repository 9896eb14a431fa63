/**
 * The guard's log: one line for each change of a manifest, with the hash of the line before it. This shows if another
 * program changed or removed a manifest or a line.
 *
 * A line is on disk before its manifest: after a kill between the two, the manifest is still the one of the previous
 * line.
 *
 * From time to time, the lines about the present manifests are packed into a file, and older lines are left out. The
 * first line of the log then names the file of packed lines, and has the hash of the last one; the hashes of the lines
 * before it are computed from the lines themselves.
 */

import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  appendLines,
  createFile,
  isJson,
  type Json,
  listNames,
  makeFolderDurably,
  type Places,
  removeDurably,
  writeDurably,
} from "@continuo/files";
import { guardFolder, keyOf, type SessionKey } from "./folder.ts";
import { readManifestText } from "./manifest-file.ts";
import { readPackedText, writePackedText } from "./packed-text.ts";

export interface ChainLine extends SessionKey {
  /** ISO 8601. */
  readonly at: string;
  readonly what: "stored" | "forgotten";
  /** The hash of the manifest; `null` for a session that is forgotten. */
  readonly manifest: string | null;
}

/** The log, open for writing. The caller must have the lock of the guard. */
export interface Chain {
  append(line: ChainLine): void;
  /** Packs the lines if there are many; every manifest must be written by then. Errors: those of the system. */
  packOld(): void;
}

/** Errors: those of the system. */
export function openChain(places: Places): Chain {
  const path = chainPath(places);
  const opened = readLog(places);
  let previous = opened.last;
  let freshLines = opened.fresh.length;
  return {
    append(line) {
      if (!existsSync(path)) {
        makeFolderDurably(dirname(path));
        createFile(path);
      }
      const text = textOf(line, previous);
      appendLines(path, Buffer.from(`${text}\n`));
      previous = sha256Of(text);
      freshLines += 1;
    },
    packOld() {
      if (freshLines < Math.max(MIN_FRESH, opened.packed.length / 8)) return;
      const log = readLog(places);
      // A log with a broken chain is not changed.
      if (log.broken.length > 0) return;
      pack(neededLines(log, places), places);
      previous = readLog(places).last;
      freshLines = 0;
    },
  };
}

/** The log is packed only if it has at least this number of lines that are not packed; together they take 4 kB. */
const MIN_FRESH = 16;

export interface ChainState {
  /** The one or two hashes that a session's manifest may have, newest first; none if the session was forgotten. */
  readonly manifests: ReadonlyMap<string, readonly string[]>;
  /** Numbers of the lines that do not follow the line before them, from 1. */
  readonly broken: readonly number[];
}

/** Reads the log and changes nothing. */
export function readChain(places: Places): ChainState {
  const { packed, fresh, broken } = readLog(places);
  const manifests = new Map<string, readonly string[]>();
  for (const line of [...packed, ...fresh]) {
    const before = manifests.get(keyOf(line)) ?? [];
    manifests.set(keyOf(line), line.manifest === null ? [] : [line.manifest, ...before.slice(0, 1)]);
  }
  return { manifests, broken };
}

interface Log {
  readonly packed: readonly ChainLine[];
  readonly fresh: readonly ChainLine[];
  readonly broken: readonly number[];
  /** The hash of the last line; `null` if there is none. */
  readonly last: string | null;
}

function readLog(places: Places): Log {
  const path = chainPath(places);
  const records = existsSync(path) ? readFileSync(path, "utf8").split("\n").flatMap(recordIn) : [];
  const [packed, fresh, broken]: [ChainLine[], ChainLine[], number[]] = [[], [], []];
  let last: string | null = null;
  for (const [at, { text, record }] of records.entries()) {
    if (isChainLine(record)) fresh.push(record);
    else packed.push(...packedLines(String(record.packed), places));
    if (!isChainLine(record)) for (const line of packed) last = sha256Of(textOf(line, last));
    if (record.previous !== last) broken.push(at + 1);
    last = sha256Of(text);
  }
  return { packed, fresh, broken, last };
}

/** An incomplete line, which a kill left, is ignored: its change was not made. */
function recordIn(text: string): readonly { readonly text: string; readonly record: Json }[] {
  try {
    const record: unknown = JSON.parse(text);
    const isOurs = isJson(record) && (isChainLine(record) || typeof record.packed === "string");
    return isOurs ? [{ text, record }] : [];
  } catch {
    return [];
  }
}

function isChainLine(value: unknown): value is ChainLine & Json {
  return isJson(value) && typeof value.agent === "string" && typeof value.sessionId === "string";
}

function textOf({ at, what, agent, sessionId, manifest }: ChainLine, previous: string | null): string {
  return JSON.stringify({ at, what, agent, sessionId, manifest, previous });
}

/** Leaves out the lines of forgotten sessions, and the lines before the one about the present manifest. */
function neededLines({ packed, fresh }: Log, places: Places): readonly ChainLine[] {
  const newest = new Map(fresh.map((line) => [keyOf(line), line]));
  const hashes = new Map([...newest].map(([key, line]) => [key, hashOfManifest(line, places)]));
  return [...packed, ...fresh].filter((line) => {
    const last = newest.get(keyOf(line));
    // The session has no newer line than its packed one.
    if (last === undefined) return true;
    const hash = hashes.get(keyOf(line)) ?? null;
    return line === last
      ? line.manifest !== null || hash !== null
      : line.manifest === hash && last.manifest !== hash;
  });
}

function hashOfManifest(key: SessionKey, places: Places): string | null {
  const text = readManifestText(key, places);
  return text === null ? null : sha256Of(text);
}

/** A process that is killed before the end leaves the log unchanged, and a file that the next process removes. */
function pack(lines: readonly ChainLine[], places: Places): void {
  let last: string | null = null;
  for (const line of lines) last = sha256Of(textOf(line, last));
  const text = lines
    .map(({ at, what, agent, sessionId, manifest }) =>
      JSON.stringify({ at, what, agent, sessionId, manifest }),
    )
    .join("\n");
  const name = `log-${sha256Of(text).slice(0, 16)}.zst`;
  writePackedText(join(guardFolder(places), name), text);
  writeDurably(chainPath(places), `${JSON.stringify({ packed: name, previous: last })}\n`);
  for (const other of listNames(guardFolder(places))) {
    const isLeft = /^log-[0-9a-f]{16}\.zst$/u.test(other) && other !== name;
    if (isLeft) removeDurably(join(guardFolder(places), other));
  }
}

/** Returns no lines if the file is gone or damaged: then the chain is broken at the line that names the file. */
function packedLines(name: string, places: Places): readonly ChainLine[] {
  if (!/^log-[0-9a-f]{16}\.zst$/u.test(name)) return [];
  const text = readPackedText(join(guardFolder(places), name)) ?? "";
  return text
    .split("\n")
    .flatMap((line) => recordIn(line).flatMap(({ record }) => (isChainLine(record) ? [record] : [])));
}

export function sha256Of(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function chainPath(places: Places): string {
  return join(guardFolder(places), "log.jsonl");
}
