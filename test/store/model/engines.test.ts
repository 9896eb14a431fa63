/** Random operations: every engine does what the plain model says, and so what the other engines do. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openStore } from "../../../src/store/index.ts";
import { testPostgres } from "../harness/postgres-server.ts";
import { operations, perform, type Run } from "./operations.ts";
import { PlainModel } from "./plain-model.ts";

const folder = mkdtempSync(join(tmpdir(), "continuo-model-"));
let server: Awaited<ReturnType<typeof testPostgres>>;

beforeAll(async () => {
  server = await testPostgres();
  await (await openStore(server.url, { migrate: true })).close();
}, 300_000);

afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true });
});

const ENGINES = {
  memory: { url: () => "memory:", runs: 150 },
  sqlite: { url: () => `sqlite:${join(folder, "store.db")}`, runs: 100 },
  postgres: { url: () => server.url, runs: 40 },
};

let workspaces = 0;

describe.each(Object.entries(ENGINES))("%s", (_, { url, runs }) => {
  test("does what the plain model does, whatever is asked of it", { timeout: 1_200_000 }, async () => {
    const property = fc.asyncProperty(operations, async (asked) => {
      const workspaceId = `model-${process.pid}-${Date.now()}-${workspaces++}`;
      await using store = await openStore(url(), { workspaceId });
      const model = new PlainModel();
      const run: Run = { store, model, prefix: "l", made: 0, token: 0, forks: 0, owners: new Map() };
      for (const operation of asked) {
        const [expected, got] = await perform(run, operation);
        expect({ operation, outcome: got }).toEqual({ operation, outcome: expected });
      }
      for (const [logId, log] of model.logs) {
        const count = log.events.length;
        const prunedCount = log.events.filter((event) => event.value === null).length;
        expect(await store.verify(logId)).toEqual({ ok: true, checkedCount: count, prunedCount });
        expect((await store.getLog(logId))?.closedAt !== undefined).toBe(log.closed);
      }
    });
    await fc.assert(property, { numRuns: runs });
  });
});
