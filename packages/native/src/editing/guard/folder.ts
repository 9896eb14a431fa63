/** The folder of the guard, `CONTINUO_HOME/guard`, and the settings in it. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { ContinuoError } from "@continuo/core/model";
import {
  continuoHome,
  type Places,
  quotedName,
  type RecordFile,
  readOnlyDatabase,
  recordFile,
} from "@continuo/files";

export function guardFolder(places: Places): string {
  return join(continuoHome(places), "guard");
}

/** The folder in which copies are restored as files for readers. */
export function openedFolder(places: Places): string {
  return join(guardFolder(places), "opened");
}

export interface SessionKey {
  readonly agent: string;
  readonly sessionId: string;
}

export function keyOf({ agent, sessionId }: SessionKey): string {
  return `${agent}:${sessionId}`;
}

/** The person's decisions about the guard. */
export interface GuardSettings {
  readonly on: boolean;
  /** The greatest size of all copies on disk. */
  readonly maxBytes: number;
  /** The number of days after which the copy of a deleted session is removed; `null`: it stays. */
  readonly maxAgeDays: number | null;
}

const DEFAULT_MAX_BYTES = 10 * 1024 ** 3;

/** Errors: `corrupt`. */
export function readGuardSettings(places: Places): GuardSettings {
  const { on, maxBytes, maxAgeDays } = settingsFile(places).read();
  return {
    on: on === true,
    maxBytes: typeof maxBytes === "number" && maxBytes >= 0 ? maxBytes : DEFAULT_MAX_BYTES,
    maxAgeDays: typeof maxAgeDays === "number" && maxAgeDays >= 0 ? maxAgeDays : null,
  };
}

/** Keys that are left out do not change. Errors: `corrupt`, `invalid`, `unwritable`. */
export function changeGuardSettings(places: Places, change: Partial<GuardSettings>): GuardSettings {
  const { maxBytes = 0, maxAgeDays = null } = change;
  if (!(maxBytes >= 0) || !(maxAgeDays === null || maxAgeDays >= 0))
    throw new ContinuoError("invalid", "a limit of the guard is a number of at least 0");
  const file = settingsFile(places);
  file.write({ ...file.read(), ...change });
  return readGuardSettings(places);
}

function settingsFile(places: Places): RecordFile {
  return recordFile(join(guardFolder(places), "settings.json"), {
    what: "settings of the guard",
    hint: "Run `continuo guard on` again after you moved the file away.",
  });
}

/**
 * True if the session is still in its file or in its database; also if that cannot be read, so that the session is not
 * reported as gone.
 * @param location a path, or `PATH#ID` for a session of a database
 */
export function isInPlace(location: string): boolean {
  const [, path, id] = /^(.+)#([^/#]+)$/su.exec(location) ?? [];
  if (path === undefined || id === undefined || existsSync(location)) return existsSync(location);
  return existsSync(path) && hasRow(path, id);
}

const BUSY_TIMEOUT_MS = 5_000;
const SESSION_TABLES =
  "SELECT name FROM sqlite_schema WHERE type = 'table' AND name IN ('session', 'session_v2')";

function hasRow(path: string, id: string): boolean {
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
  try {
    using db = new DatabaseSync(readOnlyDatabase(path), { readOnly: true, timeout: BUSY_TIMEOUT_MS });
    return db
      .prepare(SESSION_TABLES)
      .all()
      .map(({ name }) => quotedName(String(name)))
      .some((name) => db.prepare(`SELECT 1 FROM ${name} WHERE id = ?`).get(id) !== undefined);
  } catch {
    // The file is locked, damaged or not a database, which does not mean that the session is gone.
    return true;
  }
}
