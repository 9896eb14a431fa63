import { openStore } from "@continuo/store";
import { afterAll, beforeAll, expect, test } from "vitest";
import { violationsOf } from "../concurrency/history.ts";
import { type PostgresServer, startPostgres } from "../harness/postgres-server.ts";
import { createRandom } from "../harness/random.ts";
import { killWriters } from "./rounds.ts";
import { killServer } from "./server-kills.ts";

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
  await (await openStore(server.url, { migrate: true })).close();
}, 300_000);
afterAll(() => server?.stop());

test("50 writers killed at random moments lose nothing that Postgres acknowledged", {
  timeout: 1_200_000,
}, async () => {
  await using store = await openStore(server.url);
  const outcome = await killWriters({ url: server.url, store, kills: 50, writers: 4 });
  expect(outcome.kills).toBe(50);
  expect(outcome.acknowledged).toBeGreaterThan(50);
});

test("a Postgres server that is killed 5 times under writers and readers never contradicts an earlier answer", async () => {
  const { history, refused, verified } = await killServer(server, { kills: 5, random: createRandom(1) });
  expect(refused).toBeGreaterThan(0);
  expect(history.some(({ type }) => type === "unknown")).toBe(true);
  expect(violationsOf(history)).toEqual([]);
  expect(verified).toBe(true);
});
