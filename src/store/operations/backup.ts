/**
 * Backups: one SQLite file with everything, large blobs too, whatever engine it was taken from. It is made
 * next to its place and moved there when it is whole.
 */

import { existsSync } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { createFile, renameDurably, syncPath } from "../../files/index.ts";
import { ContinuoError } from "../../model/index.ts";
import type { Engine } from "../engine/index.ts";
import { translatedSqliteError } from "../sqlite/index.ts";

export interface BackupResult {
  readonly file: string;
  readonly sizeBytes: number;
  readonly events: number;
  readonly blobs: number;
}

/** Errors: `conflict` when the file is there already, `unwritable`, `unavailable`. */
export async function backup(engine: Engine, file: string): Promise<BackupResult> {
  if (existsSync(file)) {
    throw new ContinuoError("conflict", `cannot write ${file}: the file already exists`, {
      hint: "Choose another name.",
    });
  }
  const unfinished = `${file}.unfinished`;
  await makeRoom(file, unfinished);
  try {
    await engine.exportTo(unfinished);
    const counts = await addLargeBlobs(engine, unfinished);
    syncPath(unfinished);
    renameDurably(unfinished, file);
    return { file, sizeBytes: (await stat(file)).size, ...counts };
  } catch (error) {
    await rm(unfinished, { force: true });
    throw translatedSqliteError(error, file);
  }
}

/** Tries the place before the database is asked for anything. Errors: `unwritable`. */
async function makeRoom(file: string, unfinished: string): Promise<void> {
  try {
    await rm(unfinished, { force: true });
    createFile(unfinished);
    await rm(unfinished);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const reason = code === "ENOENT" ? "its folder does not exist" : (cause as Error).message;
    throw new ContinuoError("unwritable", `cannot write the backup ${file}: ${reason}`, {
      hint: code === "ENOENT" ? "Create the folder first." : "Check the path and its permissions.",
      details: { file },
      cause,
    });
  }
}

async function addLargeBlobs(
  engine: Engine,
  path: string,
): Promise<{ readonly events: number; readonly blobs: number }> {
  const database = new DatabaseSync(path);
  try {
    database.exec("pragma journal_mode = delete; begin");
    const held = database.prepare("select 1 from blob_chunks where body_key = ? limit 1");
    const keys = database.prepare("select body_key from blobs where body_key is not null").all();
    for (const { body_key: key } of keys) {
      if (held.get(key as string) === undefined) await copyBody(engine, database, String(key));
    }
    database.exec("commit");
    const count = (table: string): number =>
      Number(database.prepare(`select count(*) as n from ${table}`).get()?.n);
    return { events: count("events"), blobs: count("blobs") };
  } finally {
    database.close();
  }
}

async function copyBody(engine: Engine, database: DatabaseSync, key: string): Promise<void> {
  const insert = database.prepare("insert into blob_chunks (body_key, position, bytes) values (?, ?, ?)");
  let position = 0;
  try {
    for await (const chunk of engine.bodies.open(key)) insert.run(key, position++, chunk);
  } catch (error) {
    if (!(error instanceof ContinuoError && error.code === "not_found")) throw error;
    // Collected since the rows were copied: nothing referred to it.
    database.prepare("delete from blobs where body_key = ?").run(key);
  }
}
