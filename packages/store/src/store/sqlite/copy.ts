/** Copies a database at one moment. */

import { open } from "node:fs/promises";
import { createFile, syncPath } from "@continuo/files";
import type { Connection } from "./connection.ts";
import { runInThread } from "./thread.ts";

/**
 * The copy has the same permissions as the database. Errors: those of the system if the file exists, or its folder does
 * not.
 */
export function copyDatabase(connection: Connection, path: string): void {
  // `vacuum into` accepts an empty file and keeps its permissions; others could read a file that SQLite makes.
  createFile(path);
  connection.database.prepare("vacuum into ?").run(path);
  syncPath(path);
}

/** Copies a database in a thread, without blocking the event loop. */
export async function copyInThread(file: string, path: string): Promise<void> {
  createFile(path);
  await runInThread(file, [{ sql: "vacuum into ?", parameters: [path] }]);
  await syncLater(path);
}

/** Resolves when the file is on disk: a large file takes long, and the event loop is not blocked. */
export async function syncLater(path: string): Promise<void> {
  const file = await open(path, "r+");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
