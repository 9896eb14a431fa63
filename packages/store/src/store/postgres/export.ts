/** All rows of a Postgres database, from one snapshot, written into a new SQLite database. */

import { DatabaseSync } from "node:sqlite";
import { createFile } from "@continuo/files";
import type pg from "pg";
import { migrate, TABLES } from "../schema/index.ts";
import { createKysely } from "../sqlite/index.ts";

/** Rows that are inserted in one turn of the event loop. */
const PAGE = 100;

export async function exportRows(pool: pg.Pool, path: string): Promise<void> {
  createFile(path);
  const database = new DatabaseSync(path);
  const client = await pool.connect();
  try {
    // The caller syncs the whole file when it is complete.
    database.exec("pragma synchronous = off");
    await migrate(createKysely<never>(database));
    database.exec("delete from counters");
    await client.query("begin isolation level repeatable read read only");
    // This transaction blocks no other one, and may be idle for long while the copy is written.
    await client.query("set local idle_in_transaction_session_timeout = 0");
    database.exec("begin");
    for (const table of TABLES) await exportTable(client, database, table);
    database.exec("commit");
    await client.query("commit");
  } catch (error) {
    await client.query("rollback").catch(() => undefined);
    throw error;
  } finally {
    client.release();
    database.close();
  }
}

async function exportTable(client: pg.PoolClient, database: DatabaseSync, table: string): Promise<void> {
  await client.query(`declare exported no scroll cursor for select * from ${table}`);
  for (;;) {
    const { rows, fields } = await client.query({ text: `fetch ${PAGE} from exported`, rowMode: "array" });
    if (rows.length === 0) break;
    const names = fields.map((field) => field.name);
    const insert = database.prepare(
      `insert into ${table} (${names.join(", ")}) values (${names.map(() => "?").join(", ")})`,
    );
    for (const row of rows) insert.run(...(row as (string | number | null | Uint8Array)[]));
  }
  await client.query("close exported");
}
