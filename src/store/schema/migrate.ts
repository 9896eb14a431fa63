/**
 * Brings a database to the newest schema, one transaction per migration, and says how far a database is.
 * Migrations are never changed once released; new ones are added at the end.
 */

import { type Kysely, PostgresAdapter, sql } from "kysely";
import type { Migration } from "kysely/migration";
import { ContinuoError } from "../../model/index.ts";
import { up as logs } from "./001-logs.ts";
import { up as projections } from "./002-projections.ts";
import { up as access } from "./003-access.ts";
import { up as leases } from "./004-leases.ts";

const MIGRATIONS: Readonly<Record<string, Migration>> = {
  "001-logs": { up: logs },
  "002-projections": { up: projections },
  "003-access": { up: access },
  "004-leases": { up: leases },
};

const NAMES: readonly string[] = Object.keys(MIGRATIONS);

/** The version of a database that is up to date: how many migrations there are. */
export const SCHEMA_VERSION: number = NAMES.length;

const TABLE = "continuo_migrations";

/** 0 for an empty database. Errors: `schema_newer`. */
export async function readSchemaVersion(db: Kysely<never>): Promise<number> {
  const find =
    db.getExecutor().adapter instanceof PostgresAdapter
      ? sql<{ name: string }>`select 1 as name where to_regclass(${TABLE}) is not null`
      : sql<{ name: string }>`select name from sqlite_master where name = ${TABLE}`;
  if ((await find.execute(db)).rows.length === 0) return 0;
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(TABLE)}`.execute(db);
  const unknown = rows.map((row) => row.name).filter((name) => !NAMES.includes(name));
  if (unknown.length > 0) {
    throw new ContinuoError("schema_newer", "the database was written by a newer Continuo", {
      hint: "Update Continuo on this machine.",
      details: { unknown, knownVersion: SCHEMA_VERSION },
    });
  }
  return rows.length;
}

/** Returns the names of the migrations that were applied; none when there was nothing to do. */
export async function migrate(db: Kysely<never>, upTo: number = SCHEMA_VERSION): Promise<readonly string[]> {
  // Most openings have nothing to migrate.
  const { Migrator } = await import("kysely/migration");
  const migrator = new Migrator({
    db,
    provider: { getMigrations: () => Promise.resolve({ ...MIGRATIONS }) },
    migrationTableName: TABLE,
    migrationLockTableName: `${TABLE}_lock`,
  });
  const applied: string[] = [];
  let version = await readSchemaVersion(db);
  // One at a time, so that each is a transaction of its own.
  while (version < upTo) {
    const { error, results } = await migrator.migrateUp();
    if (error !== undefined) throw migrationFailed(NAMES[version] ?? "", error);
    for (const result of results ?? []) {
      if (result.status === "Success") applied.push(result.migrationName);
    }
    version = await readSchemaVersion(db);
  }
  return applied;
}

function migrationFailed(name: string, cause: unknown): ContinuoError {
  return new ContinuoError("unavailable", `migration ${name} failed; the database is unchanged`, {
    cause,
    details: { migration: name },
  });
}
