/** The full counts of `engines.test.ts`. */

import { join } from "node:path";
import fc from "fast-check";
import { scratchFolder } from "../../scratch-folder.ts";
import { soakTest } from "../../sizes/soak-test.ts";
import { doesWhatTheModelDoes } from "./property.ts";

const folder = scratchFolder("model-soak");

const ENGINES = { memory: "memory:", sqlite: `sqlite:${join(folder, "store.db")}` };

for (const [engine, url] of Object.entries(ENGINES)) {
  soakTest(
    `the ${engine} store gives the same results as the plain model`,
    { count: 10_000, batchSize: 200 },
    async ({ seed, count }) => {
      await fc.assert(doesWhatTheModelDoes(url), { seed, numRuns: count });
    },
  );
}
