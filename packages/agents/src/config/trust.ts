/**
 * The record of trust, `trust.json` of `CONTINUO_HOME`. It has files of projects, by path and content, and folders in
 * which agents may use the project's own configuration.
 */

import { join } from "node:path";
import { ContinuoError } from "@continuo/core/model";
import { isJson, type Json, writeDurably, writeFailure } from "@continuo/files";
import { type RawFile, readRawFile } from "./files.ts";

export interface TrustedFile {
  readonly path: string;
  readonly sha256: string;
  /** ISO 8601 UTC. */
  readonly trustedAt: string;
}

/** A folder that is trusted together with everything below it. */
export interface TrustedFolder {
  readonly path: string;
  /** ISO 8601 UTC. */
  readonly trustedAt: string;
  /** True if the folders below it are not trusted with it, as for a home. */
  readonly alone?: true;
}

/** A folder about which a person answered no; nobody is asked about it again. */
export interface RefusedFolder {
  readonly path: string;
  /** ISO 8601 UTC. */
  readonly refusedAt: string;
}

export interface TrustRecord {
  readonly files: readonly TrustedFile[];
  readonly folders: readonly TrustedFolder[];
  readonly refused: readonly RefusedFolder[];
}

export type TrustState = "trusted" | "changed" | "never trusted";

function trustRecordOf(home: string): string {
  return join(home, "trust.json");
}

/**
 * Errors: `unreadable`, `too_large`; `corrupt` for a record of another form. Then nothing is trusted, and the file is
 * not overwritten.
 */
export function readTrusted(home: string): readonly TrustedFile[] {
  return readTrustRecord(home).files;
}

/** Errors: as `readTrusted`. */
export function readTrustedFolders(home: string): readonly TrustedFolder[] {
  return readTrustRecord(home).folders;
}

/** @param folder without symbolic links */
export function isTrustedFolder(folder: string, trusted: readonly TrustedFolder[]): boolean {
  return trusted.some(
    ({ path, alone }) =>
      folder === path || (alone !== true && folder.startsWith(path.endsWith("/") ? path : `${path}/`)),
  );
}

/** Errors: as `readTrusted`. */
export function readTrustRecord(home: string): TrustRecord {
  const path = trustRecordOf(home);
  const file = readRawFile(path);
  if (file === null) return { files: [], folders: [], refused: [] };
  const record = parseJson(file.text);
  if (isJson(record) && record.version === 1) {
    const { files, folders = [], refused = [] } = record;
    const isWhole =
      haveTexts(files, ["path", "sha256", "trustedAt"]) &&
      haveTexts(folders, ["path", "trustedAt"]) &&
      haveTexts(refused, ["path", "refusedAt"]);
    if (isWhole) return { files, folders, refused } as unknown as TrustRecord;
  }
  throw new ContinuoError(
    "corrupt",
    `cannot read ${path}: it is not a record of trust that this version of Continuo knows`,
    {
      hint: "Delete the file, and run `continuo trust` again in each project.",
    },
  );
}

export function trustStateOf(file: RawFile, trusted: readonly TrustedFile[]): TrustState {
  const known = trusted.find(({ path }) => path === file.path);
  if (known === undefined) return "never trusted";
  return known.sha256 === file.sha256 ? "trusted" : "changed";
}

/** The record is written completely or not at all, and only this user can read it. Errors: `unwritable`, `corrupt`. */
export function writeTrusted(home: string, change: (before: TrustRecord) => TrustRecord): void {
  const path = trustRecordOf(home);
  const { files, folders, refused } = change(readTrustRecord(home));
  try {
    writeDurably(path, `${JSON.stringify({ version: 1, files, folders, refused }, null, 2)}\n`);
  } catch (cause) {
    throw writeFailure(`cannot write ${path}`, cause);
  }
}

function haveTexts(entries: unknown, keys: readonly string[]): entries is readonly Json[] {
  return (
    Array.isArray(entries) &&
    entries.every((one) => isJson(one) && keys.every((key) => typeof one[key] === "string"))
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Text that is not JSON is not a record.
    return undefined;
  }
}
