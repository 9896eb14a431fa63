/** Random operations: every engine gives the results of the plain model, so all engines give the same results. */

import { join } from "node:path";
import { openStore } from "@continuo/store";
import fc from "fast-check";
import { beforeAll, describe, test } from "vitest";
import { scratchFolder } from "../../scratch-folder.ts";
import { rounds } from "../../sizes/counts.ts";
import { newPostgresDatabase } from "../../sizes/shared-programs.ts";
import { doesWhatTheModelDoes } from "./property.ts";

const folder = scratchFolder("model");
let postgres: string;

beforeAll(async () => {
  postgres = await newPostgresDatabase();
  await (await openStore(postgres, { migrate: true })).close();
});

const ENGINES = {
  memory: { url: () => "memory:", runs: 150 },
  sqlite: { url: () => `sqlite:${join(folder, "store.db")}`, runs: 100 },
  postgres: { url: () => postgres, runs: 40 },
};

describe.each(Object.entries(ENGINES))("%s", (_, { url, runs }) => {
  test("gives the same results as the plain model for any operations", { timeout: 1_200_000 }, async () => {
    await fc.assert(doesWhatTheModelDoes(url()), { numRuns: rounds(runs) });
  });
});
