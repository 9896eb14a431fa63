/**
 * The SQLite engine, on disk or in memory.
 *
 * Promises: an acknowledged write is synced (`synchronous=FULL`); many processes can share a file; the event loop
 * waits for the disk, never for another process.
 * Does not know: the rules that it executes.
 */

export { Connection } from "./connection.ts";
export { syncLater } from "./copy.ts";
export { createKysely } from "./dialect.ts";
export { translated as translatedSqliteError } from "./failures.ts";
export { type MigrationResult, openSqlite, type SqliteOptions } from "./open.ts";
export { runInThread } from "./thread.ts";
