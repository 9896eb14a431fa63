/** The engine on Postgres: a pool of connections, transactions that run again if they lose a race. */

import type { Kysely } from "kysely";
import type pg from "pg";
import { bodyPlaces, Changes, chunkBodies, type Engine, type Scope, storeMeter } from "../engine/index.ts";
import { readSchemaVersion } from "../schema/index.ts";
import { query, rowsOf, transact } from "./connections.ts";
import { translating } from "./failures.ts";
import { FastAppend } from "./fast-append.ts";
import { Notifications } from "./notifications.ts";

export function createPostgresEngine(
  pool: pg.Pool,
  scope: Scope,
  { url, location }: { readonly url: string; readonly location: string },
): Engine {
  const notices = new Notifications(pool, { url, node: scope.newId(), changes: () => changes });
  const changes = new Changes((watching) => notices.watch(watching));
  const fast = new FastAppend(pool, location);
  const unmeasure = storeMeter.observe("continuo.store.pool.connections", () => [
    { value: pool.totalCount - pool.idleCount, attributes: { state: "used" } },
    { value: pool.idleCount, attributes: { state: "idle" } },
    { value: pool.waitingCount, attributes: { state: "waiting" } },
  ]);
  const committed = (keys: ReadonlySet<number>): void => {
    changes.tell(keys);
    notices.tell(keys);
  };
  const engine: Engine = {
    scope,
    changes,
    bodies: bodyPlaces({ own: "database", database: chunkBodies(() => engine) }),
    read: (rule) => translating(location, () => query(pool, () => rule(scope))),
    write: async (rule) => {
      const { value, changed } = await transact(pool, scope, rule, location);
      if (changed.size > 0) committed(changed);
      return value;
    },
    appendFast: async (scope, append) => {
      const done = await translating(location, () => fast.append(scope, append));
      if (done !== undefined) committed(new Set([done.logKey]));
      return done?.stored;
    },
    describe: async () => ({
      engine: "postgres",
      location,
      schemaVersion: await translating(location, () =>
        readSchemaVersion(scope.db as unknown as Kysely<never>),
      ),
      sizeBytes: await translating(location, () => sizeOf(pool)),
    }),
    exportTo: async (file) => {
      const { exportRows } = await import("./export.ts");
      await translating(location, () => exportRows(pool, file));
    },
    check: () => Promise.resolve([]),
    vacuum: async () => {
      const sql = "vacuum (analyze) events, logs, blob_chunks, blobs";
      await translating(location, () => rowsOf(pool, { sql, parameters: [] }));
    },
    close: async () => {
      unmeasure();
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
