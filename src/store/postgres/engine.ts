/** The engine on Postgres: a pool of connections, transactions that are run again when they lose a race. */

import type pg from "pg";
import { Changes, chunkBodies, type Engine, type Scope } from "../engine/index.ts";
import { SCHEMA_VERSION } from "../schema/index.ts";
import { rowsOf, run, transact } from "./connections.ts";
import { translated } from "./failures.ts";
import { FastAppend } from "./fast-append.ts";
import { Notices } from "./notices.ts";

export function createPostgresEngine(
  pool: pg.Pool,
  scope: Scope,
  { url, location }: { readonly url: string; readonly location: string },
): Engine {
  const notices = new Notices(pool, { url, node: scope.newId(), changes: () => changes });
  const changes = new Changes((watching) => notices.watch(watching));
  const fast = new FastAppend(pool, scope);
  const committed = (keys: ReadonlySet<number>): void => {
    changes.tell(keys);
    notices.tell(keys);
  };
  const engine: Engine = {
    scope,
    changes,
    bodies: chunkBodies(() => engine),
    read: async (rule) => {
      try {
        return await run(pool, rule(scope));
      } catch (error) {
        throw translated(error, location);
      }
    },
    write: async (rule) => {
      const { value, changed } = await transact(pool, scope, rule, location);
      if (changed.size > 0) committed(changed);
      return value;
    },
    appendFast: async (logId, events, options) => {
      try {
        const done = await fast.append(logId, events, options);
        if (done !== undefined) committed(new Set([done.logKey]));
        return done?.stored;
      } catch (error) {
        throw translated(error, location);
      }
    },
    describe: async () => ({
      engine: "postgres",
      location,
      schemaVersion: SCHEMA_VERSION,
      sizeBytes: await sizeOf(pool),
    }),
    exportTo: async (file) => (await import("./export.ts")).exportRows(pool, file),
    vacuum: async () => {
      await rowsOf(pool, { sql: "vacuum (analyze) events, logs, blob_chunks, blobs", parameters: [] });
    },
    close: async () => {
      changes.close();
      await notices.close();
      await pool.end();
    },
  };
  return engine;
}

async function sizeOf(pool: pg.Pool): Promise<number> {
  const sql = "select pg_database_size(current_database()) as size";
  const [row] = (await rowsOf(pool, { sql, parameters: [] })) as readonly { readonly size: number }[];
  return row?.size ?? 0;
}
