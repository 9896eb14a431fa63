/**
 * Makes a backup of any engine: one SQLite file with everything, including large blobs. It is written under another
 * name in the same folder, and renamed when it is complete.
 */

import { existsSync } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { ContinuoError, isContinuoError } from "@continuo/core/model";
import { createFile, renameDurably } from "@continuo/files";
import { type Engine, sql } from "../engine/index.ts";
import { runInThread, syncLater, translatedSqliteError } from "../sqlite/index.ts";

export interface BackupResult {
  readonly file: string;
  readonly sizeBytes: number;
  readonly events: number;
  readonly blobs: number;
}

/** Errors: `conflict` if the file already exists, `unwritable`, `unavailable`. */
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
    await syncLater(unfinished);
    renameDurably(unfinished, file);
    return { file, sizeBytes: (await stat(file)).size, ...counts };
  } catch (error) {
    await rm(unfinished, { force: true });
    throw translatedSqliteError(error, file);
  }
}

/** Checks that the file can be written, before the database does any work. Errors: `unwritable`. */
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

/** Selects the bodies that are not in the database itself. */
const BODIES_ELSEWHERE = `select body_key from blobs where body_key is not null
  and not exists (select 1 from blob_chunks c where c.body_key = blobs.body_key)`;

async function addLargeBlobs(
  engine: Engine,
  path: string,
): Promise<{ readonly events: number; readonly blobs: number }> {
  const [, missing = []] = await runInThread(path, [
    { sql: "pragma journal_mode = delete" },
    { sql: BODIES_ELSEWHERE },
  ]);
  if (missing.length > 0) {
    const database = new DatabaseSync(path);
    try {
      // An incomplete file is removed, and `backup` syncs a complete file before it renames it.
      database.exec("pragma synchronous = off; begin");
      for (const { body_key: key } of missing)
        await copyBody(engine, database, { key: String(key), from: String(key) });
      database.exec("commit");
    } finally {
      database.close();
    }
  }
  const [counts] = await runInThread(path, [
    { sql: "select (select count(*) from events) as events, (select count(*) from blobs) as blobs" },
  ]);
  return { events: Number(counts?.[0]?.events), blobs: Number(counts?.[0]?.blobs) };
}

async function copyBody(
  engine: Engine,
  database: DatabaseSync,
  { key, from }: { readonly key: string; readonly from: string },
): Promise<void> {
  const insert = database.prepare("insert into blob_chunks (body_key, position, bytes) values (?, ?, ?)");
  let position = 0;
  try {
    for await (const chunk of engine.bodies.open(from)) insert.run(key, position++, chunk);
  } catch (error) {
    if (!isContinuoError(error, "not_found")) throw error;
    const now = await presentKey(engine, database, key);
    if (now === from) throw error;
    database.prepare("delete from blob_chunks where body_key = ?").run(key);
    // The blob was collected after the rows were copied, because nothing referred to it.
    if (now === null) database.prepare("delete from blobs where body_key = ?").run(key);
    // The body was moved to another place.
    else await copyBody(engine, database, { key, from: now });
  }
}

async function presentKey(engine: Engine, database: DatabaseSync, key: string): Promise<string | null> {
  const blob = database.prepare("select workspace_id, hash from blobs where body_key = ?").get(key);
  const [row] = await engine.read((scope) =>
    sql<{ readonly body_key: string | null }>(
      scope,
      "select body_key from blobs where workspace_id = ? and hash = ?",
      String(blob?.workspace_id),
      String(blob?.hash),
    ),
  );
  return row?.body_key ?? null;
}
