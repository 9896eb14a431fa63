/**
 * Finds sessions: one query on each table of sessions. A session that another one started belongs to that session. It
 * is listed separately if that session is gone, or if the two claim to have started each other.
 */

import { closeSync, openSync, readSync, realpathSync } from "node:fs";
import { basename } from "node:path";
import { ContinuoError, isFailure, type Problem } from "@continuo/core/model";
import {
  canonicalFolder,
  type FoundFile,
  type Json,
  type Places,
  statFile,
  textField,
} from "@continuo/files";
import type { FindOptions, FoundSession } from "../kit/index.ts";
import { type Database, openDatabase } from "./database.ts";
import { parseExport, parseExportHead, readExportBytes } from "./export-file.ts";
import { HEAD_BYTES } from "./limits.ts";
import { databasePaths, splitLocation } from "./places.ts";

import { openRows } from "./rows.ts";
import { readSchema, readSessions } from "./schema.ts";

export async function* findSessions(
  places: Places,
  options: FindOptions,
): AsyncGenerator<FoundSession, void, void> {
  const wanted = options.cwd === undefined ? null : canonicalFolder(options.cwd);
  for (const path of databasePaths(places)) {
    options.signal?.throwIfAborted();
    if (statFile(path) === null) continue;
    const seen = await sessionsIn(path);
    const shared = shareDatabase(path);
    try {
      for (const { found, row } of seen) {
        options.signal?.throwIfAborted();
        if (found.parentId !== undefined && options.subagents === undefined) continue;
        if (wanted !== null && !isOfFolder(row, wanted)) continue;
        rowsSeen.set(found, row);
        databasesSeen.set(found, shared);
        yield found;
      }
    } finally {
      shared.end();
    }
  }
}

/** The session's own row, where `findSessions` has just seen it: the list need not open the database again. */
export function rowSeen(found: FoundSession): Json | null {
  return rowsSeen.get(found) ?? null;
}

const rowsSeen = new WeakMap<FoundSession, Json>();

/**
 * The database of a session that `findSessions` yielded, with a function that must be called after use; `null` if the search
 * has ended. A list of all reads each session as soon as it is found, and opening the database for each would take half of
 * the time. Errors: those of `openDatabase`.
 */
export async function databaseSeen(
  found: FoundSession,
): Promise<{ readonly database: Database; readonly release: () => void } | null> {
  return (await databasesSeen.get(found)?.use()) ?? null;
}

const databasesSeen = new WeakMap<FoundSession, SharedDatabase>();

interface SharedDatabase {
  use(): ReturnType<typeof databaseSeen>;
  /** Closes the database when nobody uses it any longer. */
  end(): void;
}

/** It is opened at the first use: most searches for sessions read none of them. */
function shareDatabase(path: string): SharedDatabase {
  let opened: Promise<Database> | null = null;
  // The search itself is one of the users.
  let users = 1;
  const release = (): void => {
    users -= 1;
    // A failure to open was reported to those who wanted to use it.
    if (users === 0) opened?.then((database) => database.close()).catch(() => undefined);
  };
  return {
    async use() {
      if (users === 0) return null;
      users += 1;
      try {
        opened ??= openDatabase(path);
        const database = await opened;
        database.refresh();
        return { database, release };
      } catch (error) {
        opened = null;
        release();
        throw error;
      }
    },
    end: release,
  };
}

/**
 * `DATABASE#ses_…`, a database that holds one session, or an export file; `null` for other files.
 *
 * Errors: `ambiguous` for a database of several sessions; `not_found` for one without the session named.
 */
export async function recogniseFile(location: string): Promise<FoundSession | null> {
  const { path, sessionId } =
    statFile(location) !== null ? { path: location, sessionId: null } : splitLocation(location);
  if (statFile(path) === null) return null;
  if (!isDatabase(path)) return sessionId === null ? recogniseExport(path) : null;
  return await recogniseRow(path, sessionId);
}

interface SeenRow {
  readonly found: FoundSession;
  readonly row: Json;
}

/** A database that cannot be read is listed in place of its sessions. */
async function sessionsIn(path: string): Promise<SeenRow[]> {
  const files = filesOf(path);
  try {
    const database = await openDatabase(path);
    try {
      return toSeen({ path, files, isSalvaged: database.isSalvaged }, readListed(database));
    } finally {
      database.close();
    }
  } catch (error) {
    if (!isFailure(error)) throw error;
    const problems: Problem[] = [{ code: "unreadable", line: null, message: error.message }];
    const place = { location: path, files, archived: false, live: null };
    return [{ found: { agent: "opencode", sessionId: basename(path), ...place, problems }, row: {} }];
  }
}

/** The session is read again if opencode wrote in the meantime. */
function readListed(database: Database): Json[] {
  const schema = readSchema(database);
  const rows = readSessions(database, schema);
  return database.refresh() ? readSessions(database, schema) : rows;
}

interface DatabaseFile {
  readonly path: string;
  readonly files: readonly FoundFile[];
  readonly isSalvaged: boolean;
}

function toSeen(file: DatabaseFile, rows: readonly Json[]): SeenRow[] {
  const byId = new Map(rows.map((row) => [textField(row, "id"), row]));
  return rows.flatMap((row): SeenRow[] => {
    const id = textField(row, "id");
    if (id === null) return [];
    const origin = originOf(row, byId);
    return [{ found: toFound(file, id, row, origin), row }];
  });
}

type Origin = "own" | "child" | "orphan" | "circle";

function originOf(row: Json, byId: ReadonlyMap<string | null, Json>): Origin {
  const parentId = textField(row, "parent_id");
  if (parentId === null) return "own";
  if (!byId.has(parentId)) return "orphan";
  const seen = new Set<Json>([row]);
  for (let above = byId.get(parentId); above !== undefined; above = byId.get(textField(above, "parent_id"))) {
    if (above === row) return "circle";
    if (seen.has(above)) break;
    seen.add(above);
  }
  return "child";
}

function toFound(
  { path, files, isSalvaged }: DatabaseFile,
  sessionId: string,
  row: Json,
  origin: Origin,
): FoundSession {
  const parent = textField(row, "parent_id")?.slice(0, 80);
  const problems: Problem[] = isSalvaged ? [SALVAGED] : [];
  if (origin === "orphan") {
    problems.push({
      code: "missing_parent_session",
      line: null,
      message: `session ${parent} started it and is gone`,
    });
  }
  if (origin === "circle") {
    problems.push({
      code: "cycle",
      line: null,
      message: `the session and ${parent} claim to have started each other`,
    });
  }
  return {
    agent: "opencode",
    sessionId,
    location: `${path}#${sessionId}`,
    files,
    archived: typeof row.time_archived === "number",
    live: null,
    problems,
    ...(origin === "child" && parent !== undefined ? { parentId: parent } : {}),
  };
}

const SALVAGED: Problem = {
  code: "damaged_database",
  line: null,
  message: "the database is cut off: messages of the session may be lost",
};

async function recogniseRow(path: string, sessionId: string | null): Promise<FoundSession | null> {
  const database = await openDatabase(path);
  try {
    const tables = ["session", "session_v2"];
    if (tables.every((table) => database.columnsOf(table).length === 0)) return null;
    const rows = readSessions(database, readSchema(database));
    const file = { path, files: filesOf(path), isSalvaged: database.isSalvaged };
    if (sessionId === null) return onlyOne(path, toSeen(file, rows));
    const row = rows.find((each) => each.id === sessionId);
    if (row === undefined) return lostSession(database, path, sessionId);
    const byId = new Map(rows.map((each) => [textField(each, "id"), each]));
    const origin = originOf(row, byId);
    return toFound(file, sessionId, row, origin);
  } finally {
    database.close();
  }
}

function onlyOne(path: string, all: readonly SeenRow[]): FoundSession {
  const seen = all.filter(({ found }) => found.parentId === undefined);
  const [only] = seen;
  if (only !== undefined && seen.length === 1) return only.found;
  if (only === undefined) throw new ContinuoError("not_found", `there is no session in ${path}`);
  const matches = seen.map(({ found }) => ({
    agent: found.agent,
    sessionId: found.sessionId,
    location: found.location,
  }));
  throw new ContinuoError("ambiguous", `${path} contains ${seen.length} sessions`, {
    hint: "Name one of them: `PATH#ID`.",
    details: { matches },
  });
}

/** Messages may still exist without the row of their session. */
function lostSession(database: Database, path: string, sessionId: string): FoundSession {
  const [message] = openRows(database, sessionId).messages("oldest");
  if (message === undefined)
    throw new ContinuoError("not_found", `there is no session ${sessionId} in ${path}`);
  const { isSalvaged } = database;
  return toFound({ path, files: filesOf(path), isSalvaged }, sessionId, {}, "own");
}

function recogniseExport(path: string): FoundSession | null {
  const head = readHead(path);
  if (!/^\s*\{\s*"info"\s*:\s*\{/u.test(head)) return null;
  const info = parseExportHead(head) ?? parseExport(readExportBytes(path)).info;
  const sessionId = info?.id ?? /"id"\s*:\s*"(ses[^"]*)"/u.exec(head)?.[1];
  if (sessionId === undefined || !sessionId.startsWith("ses")) return null;
  return {
    agent: "opencode",
    sessionId,
    location: path,
    files: filesOf(path),
    archived: typeof info?.data?.time_archived === "number",
    live: null,
    problems: [],
  };
}

const DATABASE_HEAD = "SQLite format 3\0";

function isDatabase(path: string): boolean {
  return readHead(path).startsWith(DATABASE_HEAD) || path.endsWith(".db");
}

function readHead(path: string): string {
  const fd = openSync(path, "r");
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    return head.toString("utf8", 0, readSync(fd, head, 0, HEAD_BYTES, 0)).replace(/^\ufeff/u, "");
  } finally {
    closeSync(fd);
  }
}

/** The database and its `-wal`, which is next to the file that a symbolic link points to. */
function filesOf(path: string): FoundFile[] {
  return [statFile(path), statFile(`${canonicalFile(path)}-wal`)].filter((file) => file !== null);
}

function canonicalFile(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** The folder under its recorded name, or under its present name. */
function isOfFolder(row: Json, wanted: string): boolean {
  const directory = textField(row, "directory");
  return directory !== null && (directory === wanted || canonicalFolder(directory) === wanted);
}
