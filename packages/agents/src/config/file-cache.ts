/**
 * Caches the content of files without problems by the hash of their bytes: an unchanged file is not parsed and checked
 * again, and the parsers (yaml, zod) are not even loaded. The cache belongs to Continuo, and may be deleted. A file
 * that sets environment variables of an agent, or has MCP servers, is not cached, because these can contain keys.
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { isJson, readJsonFile, writeDurably } from "@continuo/files";

import type { FileContent } from "./schema.ts";

/** The beginning of the hash of the schema that checked the files. A test fails if the schema has another hash. */
export const SCHEMA_HASH = "a647927a8241be39";

/** The home has one file, and each project can have one. */
export const MAX_CACHED_FILES = 16;

export interface CachedFile {
  readonly sha256: string;
  readonly content: FileContent;
}

/** Returns the contents with these hashes; `null` unless all are known. */
export function recallContents(home: string, hashes: readonly string[]): readonly FileContent[] | null {
  if (hashes.length === 0) return [];
  const known = readKnown(home);
  const found = hashes.flatMap((hash) => known.find(({ sha256 }) => sha256 === hash) ?? []);
  return found.length === hashes.length ? found.map(({ content }) => content) : null;
}

/** Keeps the newest contents. Nothing is written if Continuo has no home yet. */
export function rememberContents(home: string, files: readonly CachedFile[]): void {
  const known = files.filter(({ content }) => !mayHaveKeys(content));
  if (known.length === 0 || !existsSync(home)) return;
  const others = readKnown(home).filter(({ sha256 }) => known.every((file) => file.sha256 !== sha256));
  const kept = [...known, ...others].slice(0, MAX_CACHED_FILES);
  try {
    writeDurably(fileOf(home), JSON.stringify({ schema: SCHEMA_HASH, files: kept }));
  } catch {
    // If the home cannot be written, only the next start is slower.
  }
}

function mayHaveKeys({ agents = {}, mcp }: FileContent): boolean {
  return mcp?.servers !== undefined || Object.values(agents).some(({ env }) => env !== undefined);
}

function fileOf(home: string): string {
  return join(home, "cache/configuration.json");
}

/** Only Continuo writes this file, so every entry of the right form is accepted. */
function readKnown(home: string): readonly CachedFile[] {
  const record = readJsonFile(fileOf(home));
  if (record === null || record.schema !== SCHEMA_HASH || !Array.isArray(record.files)) return [];
  return record.files.filter((file) => isJson(file) && isJson(file.content)) as readonly CachedFile[];
}
