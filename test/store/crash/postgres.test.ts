import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isContinuoError } from "../../../src/model/index.ts";
import { openStore } from "../../../src/store/index.ts";
import { acknowledgedBy, lossesOf } from "../harness/acknowledged.ts";
import { type PostgresServer, startPostgres } from "../harness/postgres-server.ts";
import { killWriters } from "./rounds.ts";

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

test("a Postgres server killed 20 times under writers loses nothing, and repeats nothing", {
  timeout: 1_200_000,
}, async () => {
  await using store = await openStore(server.url);
  const { logId } = await store.createLog();
  const lines: string[] = [];
  let state: "writing" | "done" = "writing";
  let batch = 0;
  let refused = 0;
  const write = async (): Promise<void> => {
    while (state === "writing") {
      const n = batch++;
      const size = 1 + (n % 4);
      const events = Array.from({ length: size }, (_, index) => ({
        id: `w/${n}/${index}`,
        type: "custom",
        data: { name: "crash" },
      }));
      for (let acknowledged = false; !acknowledged; ) {
        try {
          await store.append(logId, events);
          acknowledged = true;
        } catch (error) {
          // Whether it was stored is unknown: the same ids again.
          if (!isContinuoError(error, "unavailable")) throw error;
          refused++;
          await sleep(20);
        }
      }
      lines.push(`ack ${n} ${size}`);
    }
  };
  const writers = [write(), write(), write()];
  for (let kill = 0; kill < 20; kill++) {
    const before = lines.length;
    while (lines.length < before + 5) await sleep(5);
    await sleep(Math.random() * 100);
    await server.kill();
    await server.start();
  }
  state = "done";
  await Promise.all(writers);
  expect(refused).toBeGreaterThan(0);
  expect(await lossesOf(store, logId, { after: 0, writers: [acknowledgedBy("w", lines)] })).toEqual([]);
  expect((await store.verify(logId)).ok).toBe(true);
});
