/** Writes small private files. They are on disk when the call returns, even if several processes write one file. */

import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { ContinuoError } from "@continuo/core/model";
import { makeFolderDurably, randomSuffix, removeLeft, renameDurably } from "./durable.ts";
import { readJsonFile } from "./folders.ts";
import type { Json } from "./json.ts";
import { isRunning } from "./process-start.ts";
import { writeFailure } from "./write-failure.ts";

/** A draft exists for milliseconds. A draft of this age belongs to no process, even if a process has its number now. */
const MAX_DRAFT_AGE_MS = 60_000;

/**
 * Replaces the file as a whole or not at all; only the user can read it. Makes folders that are missing, and removes
 * what a killed process left of a write of the same file. Errors: those of the system.
 */
export function writeDurably(path: string, content: string | Uint8Array): void {
  makeFolderDurably(dirname(path));
  withDraft(path, (draft) => {
    writeDraft(draft, typeof content === "string" ? Buffer.from(content, "utf8") : content);
    renameDurably(draft, path);
  });
}

/**
 * Writes a new file that only the user can read, and that nobody else knows yet. Errors: those of the system, `EEXIST` if
 * anything has the name.
 */
export function writeDraft(draft: string, bytes: Uint8Array): void {
  const fd = openSync(draft, "wx", 0o600);
  try {
    for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/**
 * Gives `write` a path next to the file. `write` makes the new file there, and renames it when it is complete and on
 * disk; otherwise the draft is removed. Also removes drafts of this file that killed processes left.
 */
export function withDraft<T>(path: string, write: (draft: string) => T): T {
  removeLeftDrafts(dirname(path), basename(path));
  // The module is loaded only here, because most commands write no such file.
  const { threadId } = process.getBuiltinModule("node:worker_threads");
  const draft = `${path}${DRAFT}${process.pid}-${threadId}-${randomSuffix()}`;
  try {
    return write(draft);
  } finally {
    removeLeft(draft);
  }
}

const DRAFT = ".new-";

function removeLeftDrafts(folder: string, name: string): void {
  for (const each of readdirSync(folder)) {
    if (!each.startsWith(`${name}${DRAFT}`)) continue;
    // SQLite keeps a journal next to a database that it writes.
    const [, pid] =
      /^(\d+)-\d+(?:-[0-9a-f]+)?(?:-journal)?$/u.exec(each.slice(name.length + DRAFT.length)) ?? [];
    const draft = join(folder, each);
    if (pid !== undefined && (!isRunning(Number(pid)) || isOld(draft))) rmSync(draft, { force: true });
  }
}

function isOld(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat !== undefined && Date.now() - stat.mtimeMs > MAX_DRAFT_AGE_MS;
}

/** The version of records. A record of another version is refused; unknown keys, e.g. of a later Continuo, are kept. */
const VERSION = 1;

export interface RecordFileOptions {
  /** A name for the content, in the plural, such as `marks`. */
  readonly what: string;
  /** The remedy for a file that cannot be read. */
  readonly hint: string;
  readonly maxBytes?: number;
}

/** A file with a record as JSON, which has a version. */
export interface RecordFile {
  /**
   * For a file that does not exist, the record has only the version. Errors: `corrupt` for a file that cannot be read,
   * or of another version.
   */
  read(): Json;
  /** Errors: `unwritable`. */
  write(record: Json): void;
}

export function recordFile(path: string, { what, hint, ...limits }: RecordFileOptions): RecordFile {
  return {
    read() {
      if (!existsSync(path)) return { version: VERSION };
      const record = readJsonFile(path, limits);
      if (record?.version === VERSION) return record;
      throw new ContinuoError("corrupt", `cannot read ${path}: it is not a file of ${what}`, { hint });
    },
    write(record) {
      try {
        writeDurably(path, `${JSON.stringify(record, null, 2)}\n`);
      } catch (cause) {
        throw writeFailure(`cannot write ${path}`, cause);
      }
    },
  };
}
