/** A store of each engine for the suites; every checkpointer has a workspace of its own in it. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Store } from "../../packages/core/src/model/index.ts";
import { openStore } from "../../packages/store/src/store/index.ts";
import { type PostgresServer, startPostgres } from "../../test/store/harness/postgres-server.ts";

export type EngineName = "memory" | "sqlite" | "postgres";

export interface Engines {
  start(): Promise<void>;
  open(engine: EngineName): Store;
  end(): Promise<void>;
}

export function newEngines(): Engines {
  const folder = mkdtempSync(join(tmpdir(), "continuo-langgraph-"));
  const stores = new Map<EngineName, Store>();
  let postgres: PostgresServer | undefined;
  let workspaces = 0;
  return {
    start: async () => {
      postgres = await startPostgres({ settings: ["fsync=off"] });
      const urls = {
        memory: "memory:",
        sqlite: `sqlite:${join(folder, "suite.db")}`,
        postgres: postgres.url,
      };
      for (const engine of ["memory", "sqlite", "postgres"] as const) {
        stores.set(engine, await openStore(urls[engine], { migrate: true }));
      }
    },
    open: (engine) => {
      const store = stores.get(engine);
      if (store === undefined) throw new Error(`the engine ${engine} has not started`);
      return store.forWorkspace(`suite-${++workspaces}`);
    },
    end: async () => {
      for (const store of stores.values()) await store.close();
      await postgres?.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
