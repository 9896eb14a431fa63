/** Random operations: every engine does what the plain model says, and so what the other engines do. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "@continuo/store";
import fc from "fast-check";
import { afterAll, beforeAll, describe, test } from "vitest";
import { rounds } from "../../sizes/counts.ts";
import { newPostgresDatabase } from "../../sizes/prepared.ts";
import { doesWhatTheModelDoes } from "./property.ts";

const folder = mkdtempSync(join(tmpdir(), "continuo-model-"));
let postgres: string;

beforeAll(async () => {
  postgres = await newPostgresDatabase();
  await (await openStore(postgres, { migrate: true })).close();
});

afterAll(() => rmSync(folder, { recursive: true }));

const ENGINES = {
  memory: { url: () => "memory:", runs: 150 },
  sqlite: { url: () => `sqlite:${join(folder, "store.db")}`, runs: 100 },
  postgres: { url: () => postgres, runs: 40 },
};

describe.each(Object.entries(ENGINES))("%s", (_, { url, runs }) => {
  test("does what the plain model does, whatever is asked of it", { timeout: 1_200_000 }, async () => {
    await fc.assert(doesWhatTheModelDoes(url()), { numRuns: rounds(runs) });
  });
});
