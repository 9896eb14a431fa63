/**
 * A project with another folder than before: the places of an agent that contain the path, and their content
 * afterwards.
 */

import { join, sep } from "node:path";
import { isJson, type Json, parseJson } from "@continuo/files";
import type { FoundSession, Places } from "./port.ts";
import type { TableRows } from "./trash-plan.ts";

/** Two absolute folders. */
export interface Relocation {
  readonly from: string;
  readonly to: string;
}

/** Everything that changes at one agent, as data: no change is made yet. */
export interface RelocationPart {
  /** The sessions of the project and of folders below it. */
  readonly sessions: readonly FoundSession[];
  readonly files: readonly RelocatedFile[];
  readonly rows: readonly RelocatedRows[];
  /** Sessions of the project whose files cannot be changed: they keep the old path. */
  readonly leftOut?: readonly FoundSession[];
}

/** A file that gets another place, other bytes, or both. */
export interface RelocatedFile {
  readonly from: string;
  readonly to: string;
  /** Left out: the bytes stay. */
  rewrite?(bytes: Buffer): Buffer;
}

export interface RelocatedRows {
  readonly database: string;
  readonly tables: readonly TableRows[];
  readonly set: Readonly<Record<string, string>>;
}

/** Errors: `unreadable`, `unsupported` for a file that cannot be changed. */
export type Relocate = (relocation: Relocation, places: Places) => Promise<RelocationPart>;

/** The facts in a session about the repository in which it worked; they outlive its folder. */
export interface RepositoryMarks {
  /** `HOST/PATH` of the remote. */
  readonly remote: string | null;
  /** The id that opencode gives the project, from its remote or its first commit. */
  readonly projectId: string | null;
  /** A commit at which it worked. */
  readonly commit?: string | null;
}

export const NOTHING_RELOCATED: RelocationPart = { sessions: [], files: [], rows: [] };

/** The path in the new folder; `null` for one that is elsewhere. */
export function movedPath(path: string, { from, to }: Relocation): string | null {
  if (path === from) return to;
  return path.startsWith(from.endsWith(sep) ? from : from + sep) ? join(to, path.slice(from.length)) : null;
}

/** The keys that lead to a path in a record, from the outside. */
export type PathKeys = readonly string[];

const LF = 0x0a;

/** The lines with other paths at these places of their records; every other byte stays. */
export function withMovedPaths(bytes: Buffer, keys: readonly PathKeys[], relocation: Relocation): Buffer {
  // Most files of a home do not name the folder at all.
  if (!bytes.includes(escaped(relocation.from))) return bytes;
  const parts: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const at = bytes.indexOf(LF, start);
    const end = at < 0 ? bytes.length : at + 1;
    const line = bytes.subarray(start, end);
    parts.push(line.includes(escaped(relocation.from)) ? movedLine(line, keys, relocation) : line);
    start = end;
  }
  return Buffer.concat(parts);
}

function movedLine(line: Buffer, keys: readonly PathKeys[], relocation: Relocation): Buffer {
  const text = line.toString("utf8");
  const record = recordIn(text);
  // A line that is not a record, or not UTF-8, has no path.
  if (record === null || !Buffer.from(text, "utf8").equals(line)) return line;
  let moved = text;
  for (const path of keys) moved = withMovedPath(moved, path, relocation);
  return Buffer.from(moved, "utf8");
}

function withMovedPath(text: string, keys: PathKeys, relocation: Relocation): string {
  const record = recordIn(text);
  const old = record === null ? undefined : valueAt(record, keys);
  const path = typeof old === "string" ? movedPath(old, relocation) : null;
  if (record === null || path === null) return text;
  const wanted = JSON.stringify(withValue(record, keys, path));
  const key = JSON.stringify(keys.at(-1));
  const pattern = new RegExp(`(${key}\\s*:\\s*)"(?:[^"\\\\]|\\\\.)*"`, "gu");
  // The same key may also occur in texts of the conversation. The right occurrence is the one whose change gives the
  // expected record.
  for (const { 0: found, 1: before = "", index } of text.matchAll(pattern)) {
    const tried = `${text.slice(0, index)}${before}${JSON.stringify(path)}${text.slice(index + found.length)}`;
    if (JSON.stringify(recordIn(tried)) === wanted) return tried;
  }
  return text;
}

function valueAt(record: Json, keys: PathKeys): unknown {
  return keys.reduce<unknown>((value, key) => (isJson(value) ? value[key] : undefined), record);
}

function withValue(record: Json, [key = "", ...rest]: PathKeys, value: string): Json {
  const inner = record[key];
  return { ...record, [key]: rest.length > 0 && isJson(inner) ? withValue(inner, rest, value) : value };
}

function recordIn(text: string): Json | null {
  try {
    const value = parseJson(text);
    return isJson(value) ? value : null;
  } catch {
    return null;
  }
}

/** A path is in JSON with its quotes and backslashes escaped. */
function escaped(path: string): string {
  return JSON.stringify(path).slice(1, -1);
}
