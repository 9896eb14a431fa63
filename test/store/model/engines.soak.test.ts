/** The full counts of `engines.test.ts`. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll } from "vitest";
import { soakTest } from "../../sizes/soak-test.ts";
import { doesWhatTheModelDoes } from "./property.ts";

const folder = mkdtempSync(join(tmpdir(), "continuo-model-soak-"));
afterAll(() => rmSync(folder, { recursive: true }));

const ENGINES = { memory: "memory:", sqlite: `sqlite:${join(folder, "store.db")}` };

for (const [engine, url] of Object.entries(ENGINES)) {
  soakTest(
    `the ${engine} store does what the plain model does`,
    { count: 10_000, batchSize: 200 },
    async ({ seed, count }) => {
      await fc.assert(doesWhatTheModelDoes(url), { seed, numRuns: count });
    },
  );
}
