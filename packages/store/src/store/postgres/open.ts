/** Opens a Postgres database. It is migrated only on request, because other servers use it. */

import { hash } from "node:crypto";
import { ContinuoError, createIds, shellWord } from "@continuo/core/model";
import { Kysely, PostgresDialect, sql } from "kysely";
import type pg from "pg";
import type { Engine } from "../engine/index.ts";
import { migrate, readSchemaVersion, SCHEMA_VERSION, type Schema } from "../schema/index.ts";
import { createPool } from "./connections.ts";
import { POSTGRES } from "./dialect.ts";
import { createPostgresEngine } from "./engine.ts";
import { translated } from "./failures.ts";

export interface PostgresOptions {
  readonly workspaceId: string;
  readonly migrate: "allowed" | "refused";
  readonly onMigrated?: (migrated: {
    readonly from: number;
    readonly to: number;
    readonly copy: null;
  }) => void;
}

const OLDEST_SERVER = 150_000;

export async function openPostgres(url: string, options: PostgresOptions): Promise<Engine> {
  const location = shownUrl(url);
  const pool = createPool(url);
  try {
    await assertServer(pool);
    await upgrade(new Kysely<never>({ dialect: new PostgresDialect({ pool }) }), options, location);
    const scope = {
      workspaceId: options.workspaceId,
      dialect: POSTGRES,
      db: new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) }),
      sha256: (data: string | Uint8Array) => hash("sha256", data, "hex"),
      newId: createIds({ now: Date.now, random: (bytes) => void crypto.getRandomValues(bytes) }),
      now: Date.now,
      lineages: new Map(),
    };
    return createPostgresEngine(pool, scope, { url, location });
  } catch (error) {
    await pool.end();
    throw translated(error, location);
  }
}

async function assertServer(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ version: string }>(
    "select current_setting('server_version_num') as version",
  );
  const version = Number(rows[0]?.version);
  if (version >= OLDEST_SERVER) return;
  throw new ContinuoError(
    "unsupported",
    `Continuo requires Postgres 15 or newer, and this server is ${version}`,
  );
}

async function upgrade(db: Kysely<never>, options: PostgresOptions, location: string): Promise<void> {
  const from = await readSchemaVersion(db);
  if (from >= SCHEMA_VERSION) return;
  if (options.migrate === "refused") {
    const what = from === 0 ? "has no tables of Continuo yet" : `has the older schema ${from}`;
    throw new ContinuoError("migration_required", `the database ${location} ${what}`, {
      hint: `Run \`continuo store migrate --store ${shellWord(location)}\` once, before the servers start.`,
      details: { schemaVersion: from, wantedVersion: SCHEMA_VERSION },
    });
  }
  await alone(db, async (one) => {
    await migrate(one);
  });
  options.onMigrated?.({ from, to: SCHEMA_VERSION, copy: null });
}

/** An arbitrary number that other programs on the same server probably do not lock. */
const UPGRADE_LOCK = 7_206_114_385_221;

/**
 * Lets one server work at a time: a search for tables fails while another server changes them, and Kysely takes its own
 * lock only later. The lock ends with the connection.
 */
async function alone(db: Kysely<never>, work: (one: Kysely<never>) => Promise<void>): Promise<void> {
  await db.connection().execute(async (one) => {
    await sql`select pg_advisory_lock(${UPGRADE_LOCK})`.execute(one);
    try {
      await work(one);
    } finally {
      await sql`select pg_advisory_unlock(${UPGRADE_LOCK})`.execute(one);
    }
  });
}

/** Returns the URL without user, password and options. */
function shownUrl(url: string): string {
  try {
    const { host, pathname } = new URL(url);
    return `postgres://${host}${pathname}`;
  } catch (cause) {
    throw new ContinuoError("invalid", "cannot read the URL of the Postgres database", {
      hint: "Use postgres://USER@HOST/DATABASE.",
      cause,
    });
  }
}
