/**
 * The compressed texts of the guard: manifests, their list and the older part of the log. The names of fields are the
 * same in all manifests, about a kilobyte. The template has these names and is the dictionary of the compression, so
 * that a stored manifest is little more than its hashes and ids.
 */

import { existsSync, readFileSync } from "node:fs";
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { writeDurably } from "@continuo/files";

/** A larger text, such as a list of thousands of sessions, is written often, so it is compressed faster and less. */
const LARGE_CHARS = 8 * 1024;
const LEVEL = 9;
const LEVEL_OF_LARGE = 3;
const MAX_TEXT_BYTES = 256 * 1024 * 1024;

/** Never change this template, because texts on disk need it. A new template needs another file name extension. */
const TEMPLATE = Buffer.from(
  '{"at":"2026-11-27T20:31:11.429Z","what":"forgotten","agent":"gemini","sessionId":"","manifest":null}\n' +
    '{"at":"2026-11-27T20:31:11.429Z","what":"stored","agent":"claude","sessionId":"5f0c2b1e-7d43-4a86-9a55-0c1f2e3d4b5a","manifest":"' +
    '[{"agent":"claude","sessionId":"","location":"/home/.claude/projects/-home-","cwd":"/home/","stamp":" 1795811471368.9275, ' +
    '","storedBytes":3146,"storedAt":"2026-11-27T20:31:11.429Z","endsAtMs":1798403471368.9275},{"agent":"' +
    '"endsAtMs":null}]","parent":{"agent":"claude","sessionId":"","type":"subagent"},"live":false,"tags":[],"model":' +
    '"problems":[{"code":"","line":null,"message":""}]' +
    '"from":"/tool-results/toolu_.txt","/subagents/agent-.meta.json","/.claude/file-history/","@v1","/subagents/agent-.jsonl",' +
    '{"version":1,"info":{"agent":"gemini","sessionId":"","location":"/.gemini/tmp//chats/session-2026-11-26T02-50-.jsonl","cwd":' +
    '{"version":1,"info":{"agent":"claude","sessionId":"","location":"/home//.claude/projects/-home-/.jsonl","cwd":"/home/","title":"",' +
    '"gitBranch":null,"gitBranch":"main","createdAt":"2026-11-26T09:09:41.998Z","updatedAt":"2026-11-26T09:09:57.665Z","sizeBytes":20581,' +
    '"archived":false,"live":null,"problems":[]},"states":[{"storedAt":"2026-11-27T20:31:11.429Z","files":[{"from":"/home/' +
    '.jsonl","mtimeMs":1795811471368.9275,"inode":2501217,"sizeBytes":20581,"sha256":"","pieces":[{"sha256":"","sizeBytes":4194304,' +
    '"storedBytes":3146},{"sha256":"","sizeBytes":20581,"storedBytes":3146}]},{"from":"","storedBytes":3146}]}]}',
);

/** `null` if there is none, or it is damaged. */
export function readPackedText(path: string): string | null {
  if (!existsSync(path)) return null;
  try {
    const options = { dictionary: TEMPLATE, maxOutputLength: MAX_TEXT_BYTES };
    return zstdDecompressSync(readFileSync(path), options).toString("utf8");
  } catch {
    return null;
  }
}

/** `null` if there is no text, or if it is not JSON. */
export function jsonIn(text: string | null): unknown {
  if (text === null) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Errors: those of the system. */
export function writePackedText(path: string, text: string): void {
  const level = text.length > LARGE_CHARS ? LEVEL_OF_LARGE : LEVEL;
  const params = { [constants.ZSTD_c_compressionLevel]: level, [constants.ZSTD_c_checksumFlag]: 1 };
  writeDurably(path, zstdCompressSync(text, { params, dictionary: TEMPLATE }));
}
