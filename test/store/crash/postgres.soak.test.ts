import { openStore } from "@continuo/store";
import { afterAll, beforeAll, expect } from "vitest";
import { soakTest } from "../../sizes/soak-test.ts";
import { violationsOf } from "../concurrency/history.ts";
import { type PostgresServer, startPostgres } from "../harness/postgres-server.ts";
import { createRandom } from "../harness/random.ts";
import { killServer } from "./server-kills.ts";

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
  await (await openStore(server.url, { migrate: true })).close();
}, 300_000);
afterAll(() => server?.stop());

soakTest(
  "store: a Postgres server that is killed never contradicts an earlier answer",
  { count: 50, batchSize: 10 },
  async ({ seed, count }) => {
    const { history, refused, verified } = await killServer(server, {
      kills: count,
      random: createRandom(seed),
    });
    expect(refused).toBeGreaterThan(0);
    expect(violationsOf(history)).toEqual([]);
    expect(verified).toBe(true);
  },
);
