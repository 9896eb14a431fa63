import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scratchFolder } from "../../scratch-folder.ts";
import { bundledCommand, newPostgresDatabase } from "../../sizes/shared-programs.ts";
import { soakTest } from "../../sizes/soak-test.ts";
import { chaosHour } from "./conductor.ts";
import { summaryOf } from "./report.ts";

const ENGINES = {
  postgres: { servers: 3, storeUrl: () => newPostgresDatabase() },
  sqlite: { servers: 1, storeUrl: async (folder: string) => `sqlite:${join(folder, "store.db")}` },
} as const;

for (const [engine, { servers, storeUrl }] of Object.entries(ENGINES)) {
  soakTest(
    `channels on ${engine}: an hour of kills, standstills, jumps of clocks, black holes, newcomers and hostile neighbours loses and repeats no event, and ends no participant`,
    { count: 1, batchSize: 1 },
    async ({ seed }) => {
      const folder = scratchFolder("chaos");
      const report = await chaosHour({
        storeUrl: await storeUrl(folder),
        servers,
        minutes: 60,
        seed,
        longMessages: 1_000_000,
        command: await bundledCommand(),
        folder,
        report: (line) => process.stderr.write(`${line}\n`),
      });
      writeFileSync(join(tmpdir(), `continuo-chaos-${engine}.json`), JSON.stringify(report, null, 2));
      if (report.failures.length > 0) throw new Error(report.failures.join("\n"));
      return summaryOf(report);
    },
  );
}
