/** Opens a SQLite database: creates it if it does not exist, checks it, and migrates it on request. */

import { hash } from "node:crypto";
import { closeSync, existsSync, openSync, readSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { ContinuoError, createIds } from "@continuo/core/model";
import { renameToFreeName, withDraft } from "@continuo/files";
import { type Engine, LIMITS, type Scope } from "../engine/index.ts";
import { migrate, readSchemaVersion, SCHEMA_VERSION, type Schema } from "../schema/index.ts";
import { Connection } from "./connection.ts";
import { copyDatabase } from "./copy.ts";
import { createKysely, dialectFor } from "./dialect.ts";
import { createSqliteEngine } from "./engine.ts";
import { isBusy, translated, truncated } from "./failures.ts";
import { type LeaseClock, openLeaseClock, wallClock, wallTimeOf } from "./lease-clock.ts";
import { createSchema } from "./new-schema.ts";
import { preparePlace, type SqlitePlace } from "./place.ts";

const CACHE_BYTES = 64 * 1024 * 1024;

export interface SqliteOptions {
  readonly workspaceId: string;
  readonly migrate: "allowed" | "refused";
  /** Called after a migration of an existing database. */
  readonly onMigrated?: (migrated: MigrationResult) => void;
  /** Size of the page cache in memory; 64 MiB by default. */
  readonly cacheBytes?: number;
  /** Milliseconds since 1970; SQLite's own clock if none is given. */
  readonly now?: () => number;
  /**
   * The clock of leases. By default it is `now` if that is given, and otherwise the time since the machine was
   * started.
   */
  readonly leaseNow?: () => number;
  /** For tests that show the effect of `full`. */
  readonly synchronous?: "full" | "off";
}

export interface MigrationResult {
  readonly from: number;
  readonly to: number;
  /** The path of a copy of the database before the migration; `null` for a database in memory. */
  readonly copy: string | null;
}

/** `undefined` opens a database in memory that is lost when it is closed. */
export async function openSqlite(place: string | undefined, options: SqliteOptions): Promise<Engine> {
  const path = place === undefined ? undefined : resolve(place);
  const deadline = performance.now() + LIMITS.lockWaitMs;
  for (;;) {
    try {
      return await tryOpen(path, options);
    } catch (error) {
      // Another caller, perhaps in this process, creates or migrates the database now. This one waits without blocking
      // the process.
      if (!isBusy(error) || performance.now() > deadline) throw translated(error, path ?? "memory");
    }
    await sleep(5 + Math.random() * 20);
  }
}

async function tryOpen(path: string | undefined, options: SqliteOptions): Promise<Engine> {
  const place = path === undefined ? undefined : preparePlace(path);
  const connection = new Connection(openDatabase(place, options));
  try {
    await upgrade(connection, place, options);
    return createSqliteEngine(connection, scopeOf(connection, options), place);
  } catch (error) {
    connection.close();
    throw error;
  }
}

function openDatabase(place: SqlitePlace | undefined, options: SqliteOptions): DatabaseSync {
  const { synchronous = "full", cacheBytes = CACHE_BYTES } = options;
  if (place === undefined) return new DatabaseSync(":memory:");
  assertWhole(place);
  // SQLite's own waiting would block the event loop.
  const database = new DatabaseSync(place.file, { timeout: 0 });
  try {
    database.exec("pragma journal_mode = wal");
    database.exec(`pragma synchronous = ${synchronous}`);
    database.exec(`pragma cache_size = ${-Math.ceil(cacheBytes / 1024)}`);
    // A larger log is copied into the database less often: 16 MB instead of 4.
    database.exec("pragma wal_autocheckpoint = 4000");
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
}

const HEADER_BYTES = 100;

/**
 * Compares the size of the file with the number of pages in its header. With a write-ahead log, the file may be
 * shorter, so it is not checked.
 */
function assertWhole({ path, file }: SqlitePlace): void {
  const sizeBytes = statSync(file).size;
  const wal = `${file}-wal`;
  if (sizeBytes === 0 || (existsSync(wal) && statSync(wal).size > 0)) return;
  const header = Buffer.alloc(HEADER_BYTES);
  const opened = openSync(file, "r");
  try {
    if (readSync(opened, header, 0, HEADER_BYTES, 0) < HEADER_BYTES)
      throw truncated(path, sizeBytes, HEADER_BYTES);
  } finally {
    closeSync(opened);
  }
  // A file without this header is not a database; SQLite reports that itself.
  if (!header.toString("latin1").startsWith("SQLite format 3")) return;
  const pageSize = header.readUInt16BE(16);
  const expected = header.readUInt32BE(28) * (pageSize === 1 ? 65_536 : pageSize);
  if (sizeBytes < expected) throw truncated(path, sizeBytes, expected);
}

async function upgrade(
  connection: Connection,
  place: SqlitePlace | undefined,
  options: SqliteOptions,
): Promise<void> {
  await createSchema(connection.database);
  const db = createKysely<never>(connection.database);
  const from = await readSchemaVersion(db);
  if (from < SCHEMA_VERSION) {
    const isOlder = from > 0 && !isUnused(connection);
    if (isOlder && options.migrate === "refused") throw migrationRequired(place?.path ?? "memory", from);
    const copy = isOlder && place !== undefined ? copyBefore(connection, place, from) : null;
    await migrate(db);
    if (isOlder) options.onMigrated?.({ from, to: SCHEMA_VERSION, copy });
  }
}

/** The table of logs, and tables that can have rows without a log; older schemas lack some of them. */
const WITHOUT_LOGS = [
  "logs",
  "deleted_logs",
  "blobs",
  "leases",
  "claims",
  "cursors",
  "tokens",
  "webhook_keys",
] as const;

/** True for a database without rows: a process that was killed while it created the database leaves such a file. */
function isUnused({ database }: Connection): boolean {
  const isThere = database.prepare("select 1 from sqlite_master where type = 'table' and name = ?");
  return WITHOUT_LOGS.every(
    (table) =>
      isThere.get(table) === undefined ||
      database.prepare(`select 1 from ${table} limit 1`).get() === undefined,
  );
}

function migrationRequired(path: string, from: number): ContinuoError {
  return new ContinuoError("migration_required", `the database ${path} has the older schema ${from}`, {
    hint: "Run `continuo store migrate`, or open it with { migrate: true }.",
    details: { schemaVersion: from, wantedVersion: SCHEMA_VERSION },
  });
}

function copyBefore(connection: Connection, { path }: SqlitePlace, from: number): string {
  const first = `${path}.before-migration-${from}`;
  return withDraft(first, (draft) => {
    copyDatabase(connection, draft);
    let copy = first;
    for (let n = 2; !renameToFreeName(draft, copy); n++) copy = `${first}.${n}`;
    return copy;
  });
}

function scopeOf({ database }: Connection, options: SqliteOptions): Scope {
  const { workspaceId, now = Date.now } = options;
  const leases = leaseClockOf(database, options);
  return {
    workspaceId,
    dialect: dialectFor(database, { leases, now: options.now }),
    db: createKysely<Schema>(database),
    sha256: (data) => hash("sha256", data, "hex"),
    newId: createIds({ now, random: (bytes) => void crypto.getRandomValues(bytes) }),
    now,
    lineages: new Map(),
  };
}

function leaseClockOf(database: DatabaseSync, { now, leaseNow }: SqliteOptions): LeaseClock {
  if (leaseNow !== undefined) return { now: leaseNow, wallTime: wallTimeOf(now ?? Date.now, leaseNow) };
  return now === undefined ? openLeaseClock(database, { wall: Date.now }) : wallClock(now);
}
