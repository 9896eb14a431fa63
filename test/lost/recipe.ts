/**
 * Homes of an agent in which its own list does not show a session: one recipe for each cause that can be reproduced.
 */

import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Places } from "@continuo/files";

export interface LostRecipe {
  /** A statement that names the change to the session. */
  readonly title: string;
  readonly cause: string;
  /** Other files of the home, which the list leaves out too. */
  readonly otherCauses?: readonly string[];
  /** Writes only the session into a home. */
  write(home: LostHome): void;
  /** The messages that the agent itself has once the session is listed; absent if Continuo cannot restore it. */
  readonly messages?: number;
  /**
   * The messages after a resume by the agent, if they differ: one that the agent does not show, but sends to its model.
   */
  readonly resumed?: number;
}

export interface LostHome {
  /** The home of a user; agents keep their files below it. */
  readonly root: string;
  /** A folder below it in which the sessions work. */
  readonly project: string;
}

export function placesOfHome({ root }: LostHome): Places {
  return { home: root, env: {} };
}

export function makeLostHome(root: string): LostHome {
  const project = join(root, "project");
  mkdirSync(project, { recursive: true });
  return { root, project };
}

export function writeText(path: string, text: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

export function toLines(records: readonly object[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join("");
}

/**
 * Every file below a folder, its bytes, mode and time stamp; Continuo's own folder is left out, and so are the notes of
 * SQLite on who reads a database.
 */
export function snapshotOf({ root }: LostHome): Readonly<Record<string, string>> {
  const files = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.startsWith(join(root, ".continuo")) && !path.endsWith(".db-shm"));
  return Object.fromEntries(
    files.map((path) => {
      const { mode, mtimeMs } = statSync(path);
      return [path, `${mode.toString(8)} ${mtimeMs} ${readFileSync(path, "base64")}`];
    }),
  );
}

/**
 * The same, with the rows of databases instead of their bytes, because a row that was written twice may be at another
 * position.
 */
export function contentOf(home: LostHome): Readonly<Record<string, string>> {
  const files = Object.entries(snapshotOf(home)).filter(([path]) => !path.endsWith(".db-wal"));
  return Object.fromEntries(
    files.map(([path, state]) => [path, path.endsWith(".db") ? rowsIn(path) : state]),
  );
}

/** A copy is read, because opening a database changes its folder. */
function rowsIn(path: string): string {
  const folder = mkdtempSync(join(tmpdir(), "continuo-rows-"));
  const copy = join(folder, "copy.db");
  for (const ending of ["", "-wal"]) {
    if (existsSync(path + ending)) copyFileSync(path + ending, copy + ending);
  }
  try {
    return JSON.stringify(tablesIn(copy));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function tablesIn(path: string): readonly unknown[] {
  using database = new DatabaseSync(path);
  const tables = database.prepare("select name from sqlite_schema where type = 'table' order by name").all();
  return tables.map(({ name }) => [name, database.prepare(`select * from "${name}" order by 1`).all()]);
}
