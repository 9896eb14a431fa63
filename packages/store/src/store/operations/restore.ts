/** Restores a backup into an empty store of any engine, in one transaction. */

import { DatabaseSync } from "node:sqlite";
import { ContinuoError } from "@continuo/core/model";
import {
  type Engine,
  type Scope,
  type SqlValue,
  type Statement,
  sql,
  type Transaction,
  type Work,
} from "../engine/index.ts";
import { FORGET_ALL_OBJECTS } from "../rules/index.ts";
import { readSchemaVersion, SCHEMA_VERSION, TABLES } from "../schema/index.ts";
import { createKysely, runInThread } from "../sqlite/index.ts";

export interface RestoreResult {
  readonly logs: number;
  readonly events: number;
  readonly blobs: number;
}

/** Tables of a backup that are not copied: the restored store fills them itself, or stores their content elsewhere. */
const LEFT_OUT: readonly string[] = ["counters", "blob_chunks"];
const KEYS: Readonly<Record<string, string>> = {
  logs: "log_key",
  deleted_logs: "deletion_key",
  runs: "run_key",
  audit: "audit_key",
};

/**
 * `record` is executed in the same transaction, after the rows are inserted. Errors: `conflict` when the store is not
 * empty, `unreadable`, `migration_required`, `schema_newer`.
 */
export async function restore(engine: Engine, file: string, record: Statement): Promise<RestoreResult> {
  const source = openBackup(file);
  const bodies: NamedBody[] = [];
  try {
    await assertVersion(source, file);
    await engine.write(assertEmpty);
    for (const { workspace_id, hash, body_key } of source.prepare(WITH_BODIES).all()) {
      const before = String(body_key);
      const given = isOwnKey(engine, before) ? before : engine.scope.newId();
      const bodyKey = await engine.bodies.put(given, chunksOf(source, before));
      bodies.push({ workspaceId: String(workspace_id), hash: String(hash), before, bodyKey });
    }
    const renames = bodies.filter(({ before, bodyKey }) => before !== bodyKey).map(renaming);
    if (engine.runLong === undefined) {
      await engine.write(function* (tx) {
        yield* copyRows(tx, source);
        for (const rename of renames) yield* sql(tx, rename.sql, ...rename.parameters);
        yield* sql(tx, FORGET_ALL_OBJECTS);
        yield record;
      });
    } else
      await copyInThread(engine.runLong, engine.scope, {
        source,
        file,
        after: [...renames, { sql: FORGET_ALL_OBJECTS, parameters: [] }, record],
      });
    const [counts] = await runInThread(file, [
      {
        sql: `select (select count(*) from logs) as logs, (select count(*) from events) as events,
          (select count(*) from blobs) as blobs`,
      },
    ]);
    const { logs, events, blobs } = counts?.[0] ?? {};
    return { logs: Number(logs), events: Number(events), blobs: Number(blobs) };
  } catch (error) {
    for (const { bodyKey } of bodies) await engine.bodies.remove(bodyKey);
    throw error;
  } finally {
    source.close();
  }
}

const WITH_BODIES = "select workspace_id, hash, body_key from blobs where body_key is not null";

interface NamedBody {
  readonly workspaceId: string;
  readonly hash: string;
  readonly before: string;
  readonly bodyKey: string;
}

/** A body outside the database may still belong to the original store, so its key cannot be used again. */
function isOwnKey({ bodies }: Engine, key: string): boolean {
  return bodies.newIn !== "s3" && !key.includes(":");
}

function renaming({ workspaceId, hash, bodyKey }: NamedBody): Statement & { readonly parameters: string[] } {
  const text = "update blobs set body_key = ? where workspace_id = ? and hash = ?";
  return { sql: text, parameters: [bodyKey, workspaceId, hash] };
}

function openBackup(file: string): DatabaseSync {
  try {
    const source = new DatabaseSync(file, { readOnly: true });
    source.prepare("select count(*) from continuo_migrations").get();
    return source;
  } catch (cause) {
    throw new ContinuoError("unreadable", `${file} is not a backup of a store`, {
      hint: "Give a file that `continuo store backup` wrote.",
      cause,
    });
  }
}

async function assertVersion(source: DatabaseSync, file: string): Promise<void> {
  const version = await readSchemaVersion(createKysely<never>(source));
  if (version === SCHEMA_VERSION) return;
  throw new ContinuoError("migration_required", `the backup ${file} has the older schema ${version}`, {
    hint: `Copy it, run \`continuo store migrate --store sqlite:COPY\`, and restore the copy.`,
    details: { schemaVersion: version, wantedVersion: SCHEMA_VERSION },
  });
}

/** A store is empty if none of these tables has a row. */
const FIRST_ROWS = [
  "logs",
  "sessions",
  "blobs",
  "leases",
  "claims",
  "cursors",
  "tokens",
  "webhook_keys",
] as const;

function* assertEmpty(tx: Transaction): Work<void> {
  for (const table of FIRST_ROWS) {
    const found = yield* sql(tx, `select 1 as found from ${table} limit 1`);
    if (found.length > 0) throw notEmpty(table);
  }
}

function notEmpty(table: string): ContinuoError {
  return new ContinuoError("conflict", `the store is not empty: it has ${table}`, {
    hint: "Restore into a new database.",
    details: { table },
  });
}

async function* chunksOf(source: DatabaseSync, key: string): AsyncGenerator<Uint8Array, void, void> {
  const rows = source
    .prepare("select bytes from blob_chunks where body_key = ? order by position")
    .iterate(key);
  for (const { bytes } of rows) yield bytes as Uint8Array;
}

interface CopyOptions {
  readonly source: DatabaseSync;
  readonly file: string;
  /** Executed in the same transaction, after the rows are inserted. */
  readonly after: readonly Statement[];
}

/** Copies one SQLite database into another, in one transaction. Errors: `conflict`. */
async function copyInThread(
  runLong: NonNullable<Engine["runLong"]>,
  { dialect }: Scope,
  { source, file, after }: CopyOptions,
): Promise<void> {
  const copies = TABLES.filter((table) => !LEFT_OUT.includes(table)).map((table) => {
    const names = columnsOf(source, table).join(", ");
    return { sql: `insert into main.${table} (${names}) select ${names} from backup.${table}` };
  });
  const firstRows = FIRST_ROWS.map((table) => [`select 1 from main.${table} limit 1`, table] as const);
  try {
    await runLong([
      { sql: "attach ? as backup", parameters: [file] },
      { sql: "begin immediate" },
      ...firstRows.map(([text]) => ({ sql: text, expected: "none" as const })),
      ...copies,
      { sql: `update main.logs set changed_mark = ${dialect.currentMark}` },
      ...after.map(({ sql, parameters }) => ({
        sql,
        parameters: parameters as readonly (string | number | null)[],
      })),
      { sql: "commit" },
    ]);
  } catch (error) {
    // If one of these checks failed, somebody wrote into the store after the first check that it was empty.
    const table = new Map<string, string>(firstRows).get(
      (error as { readonly statement?: string }).statement ?? "",
    );
    throw table === undefined ? error : notEmpty(table);
  }
}

function columnsOf(source: DatabaseSync, table: string): readonly string[] {
  const rows = source.prepare("select name from pragma_table_info(?)").all(table);
  return rows.map((row) => String(row.name));
}

function* copyRows(tx: Transaction, source: DatabaseSync): Work<void> {
  yield* assertEmpty(tx);
  for (const table of TABLES) if (!LEFT_OUT.includes(table)) yield* copyTable(tx, source, table);
  // Marks are valid only in the database that gave them.
  yield* sql(tx, `update logs set changed_mark = ${tx.dialect.currentMark}`);
}

function* copyTable(tx: Transaction, source: DatabaseSync, table: string): Work<void> {
  const names = columnsOf(source, table);
  const key = KEYS[table];
  const given = key !== undefined && tx.dialect.engine === "postgres" ? " overriding system value" : "";
  const values = names.map(() => "?").join(", ");
  const insert = `insert into ${table} (${names.join(", ")})${given} values (${values})`;
  for (const row of source.prepare(`select * from ${table}`).iterate()) {
    yield* sql(tx, insert, ...names.map((name) => row[name] as SqlValue));
  }
  if (given !== "" && key !== undefined) {
    yield* sql(
      tx,
      `select setval(pg_get_serial_sequence('${table}', '${key}'),
         (select coalesce(max(${key}), 0) + 1 from ${table}), false)`,
    );
  }
}
