/**
 * The SQLite engine, on disk or in memory.
 *
 * Promises: acknowledged means synced (`synchronous=FULL`); many processes may share a file; the event
 * loop waits for the disk, never for another process. Knows nothing of the rules that it runs.
 */

export { Connection } from "./connection.ts";
export { createKysely } from "./dialect.ts";
export { type Migrated, openSqlite, type SqliteOptions } from "./open.ts";
