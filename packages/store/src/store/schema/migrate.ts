/**
 * Brings a database to the newest schema, one transaction per migration, and reads the version of a database.
 * Migrations are never changed once released; new ones are added at the end.
 *
 * Each version of Continuo and the next one can use the same schema, so that servers can be replaced one after the
 * other, and the replacement can be undone halfway. Therefore a migration only adds things that the previous version
 * ignores, and names the first version whose code works with it. Kysely's migrator refuses unknown names, so migrations
 * after version 3 are recorded in a table of our own, which older servers do not read.
 */

import { ContinuoError } from "@continuo/core/model";
import { type Kysely, PostgresAdapter, sql } from "kysely";
import { up as logs } from "./001-logs.ts";
import { up as projections } from "./002-projections.ts";
import { up as access } from "./003-access.ts";
import { up as leases } from "./004-leases.ts";
import { up as audit } from "./005-audit.ts";
import { up as priorities } from "./006-priorities.ts";
import { up as places } from "./007-places.ts";

export interface Migration {
  readonly up: (db: Kysely<unknown>) => Promise<void>;
  /** The oldest version of the code that works with the schema after this migration. */
  readonly compatibleFrom: number;
}

/** The keys are names, in their order: the first migration makes version 1. */
export type Migrations = Readonly<Record<string, Migration>>;

export const MIGRATIONS: Migrations = {
  "001-logs": { up: logs, compatibleFrom: 1 },
  "002-projections": { up: projections, compatibleFrom: 2 },
  "003-access": { up: access, compatibleFrom: 3 },
  "004-leases": { up: leases, compatibleFrom: 3 },
  "005-audit": { up: audit, compatibleFrom: 3 },
  "006-priorities": { up: priorities, compatibleFrom: 3 },
  "007-places": { up: places, compatibleFrom: 3 },
};

/** The last version whose code refuses unknown names. */
const LAST_STRICT = 3;

/** The version of a fully migrated database: the number of migrations. */
export const SCHEMA_VERSION: number = Object.keys(MIGRATIONS).length;

const TABLE = "continuo_migrations";
const COMPATIBLE_TABLE = "continuo_schema";

/** The tables and columns with the times of the migrations. */
export const MIGRATION_TIMES: readonly (readonly [table: string, column: string])[] = [
  [TABLE, "timestamp"],
  [COMPATIBLE_TABLE, "applied_at"],
];

/**
 * Returns 0 for an empty database. The result can be newer than our version, if our code works with it. Errors:
 * `schema_newer`.
 *
 * @param known the migrations that the code has
 */
export async function readSchemaVersion(db: Kysely<never>, known: Migrations = MIGRATIONS): Promise<number> {
  if (!(await hasTable(db, TABLE))) return 0;
  const names = await namesIn(db, TABLE);
  const unknown = names.filter((name) => !Object.hasOwn(known, name));
  if (unknown.length > 0) throw schemaNewer(known, { unknown });
  if (!(await hasTable(db, COMPATIBLE_TABLE))) return names.length;
  const { rows } =
    await sql<SchemaRow>`select version, schema_compatible_from from ${sql.table(COMPATIBLE_TABLE)}
    order by version desc limit 1`.execute(db);
  const [newest] = rows;
  if (newest === undefined) return names.length;
  const compatibleFrom = Number(newest.schema_compatible_from);
  if (compatibleFrom > Object.keys(known).length) throw schemaNewer(known, { compatibleFrom });
  return Math.max(names.length, Number(newest.version));
}

interface SchemaRow {
  readonly version: number | string;
  readonly schema_compatible_from: number | string;
}

function schemaNewer(known: Migrations, details: Readonly<Record<string, unknown>>): ContinuoError {
  return new ContinuoError("schema_newer", "the database was written by a newer Continuo", {
    hint: "Update Continuo on this machine.",
    details: { ...details, knownVersion: Object.keys(known).length },
  });
}

async function hasTable(db: Kysely<never>, table: string): Promise<boolean> {
  const find = isPostgres(db)
    ? sql<{ name: string }>`select 1 as name where to_regclass(${table}) is not null`
    : sql<{ name: string }>`select name from sqlite_master where name = ${table}`;
  return (await find.execute(db)).rows.length > 0;
}

async function namesIn(db: Kysely<never>, table: string): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(table)}`.execute(db);
  return rows.map((row) => row.name);
}

function isPostgres(db: Kysely<never>): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}

/** Returns the names of the migrations that were applied; none if there was nothing to do. */
export async function migrate(
  db: Kysely<never>,
  upTo: number = SCHEMA_VERSION,
  known: Migrations = MIGRATIONS,
): Promise<readonly string[]> {
  const applied = await migrateStrictly(db, Math.min(upTo, LAST_STRICT), known);
  for (const [index, [name, migration]] of Object.entries(known).entries()) {
    const version = index + 1;
    if (version <= LAST_STRICT || version > upTo) continue;
    try {
      if (await applyCompatible(db, { version, name, migration })) applied.push(name);
    } catch (error) {
      throw migrationFailed(name, error);
    }
  }
  return applied;
}

/** Runs one migration at a time, so that each is a transaction of its own. */
async function migrateStrictly(db: Kysely<never>, upTo: number, known: Migrations): Promise<string[]> {
  const applied: string[] = [];
  let version = await readSchemaVersion(db, known);
  // Most often there is nothing to migrate.
  if (version >= upTo) return applied;
  const { Migrator } = await import("kysely/migration");
  const strict = Object.fromEntries(Object.entries(known).slice(0, LAST_STRICT));
  const migrator = new Migrator({
    db,
    provider: { getMigrations: () => Promise.resolve(strict) },
    migrationTableName: TABLE,
    migrationLockTableName: `${TABLE}_lock`,
  });
  while (version < upTo) {
    const { error, results } = await migrator.migrateUp();
    if (error !== undefined) throw migrationFailed(Object.keys(known)[version] ?? "", error);
    for (const result of results ?? []) {
      if (result.status === "Success") applied.push(result.migrationName);
    }
    version = await readSchemaVersion(db, known);
  }
  return applied;
}

interface MigrationStep {
  readonly version: number;
  readonly name: string;
  readonly migration: Migration;
}

/** False if the migration was already applied, perhaps by another process a moment ago. */
function applyCompatible(db: Kysely<never>, { version, name, migration }: MigrationStep): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const integer = sql.raw(isPostgres(db) ? "bigint" : "integer");
    await sql`create table if not exists ${sql.table(COMPATIBLE_TABLE)} (version ${integer} primary key,
      name text not null, schema_compatible_from ${integer} not null, applied_at text not null)`.execute(tx);
    if ((await namesIn(tx, COMPATIBLE_TABLE)).includes(name)) return false;
    await migration.up(tx as unknown as Kysely<unknown>);
    await sql`insert into ${sql.table(COMPATIBLE_TABLE)} (version, name, schema_compatible_from, applied_at)
      values (${version}, ${name}, ${migration.compatibleFrom}, ${new Date().toISOString()})`.execute(tx);
    return true;
  });
}

function migrationFailed(name: string, cause: unknown): ContinuoError {
  return new ContinuoError("unavailable", `migration ${name} failed; the database is unchanged`, {
    cause,
    hint: "Check the disk and its free space, and that nobody else changes the database; then try again.",
    details: { migration: name },
  });
}
