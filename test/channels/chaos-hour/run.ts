/**
 * `node test/channels/chaos-hour/run.ts [--minutes N] [--seed N] [--engine postgres|sqlite] [--messages N] [--command FILE]
 * [--out FILE]`: an hour of chaos. Prints its progress on stderr, a JSON and a line of summary on stdout, and fails if anything was wrong.
 * It starts the command that `npm run prepare` built, or the given one.
 */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startPostgres } from "../../store/harness/postgres-server.ts";
import { chaosHour } from "./conductor.ts";
import { summaryOf } from "./report.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "60" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 0x7fffffff)) },
    engine: { type: "string", default: "postgres" },
    messages: { type: "string", default: "1000000" },
    command: { type: "string", default: join(import.meta.dirname, "../../../bin/continuo.js") },
    out: { type: "string" },
  },
});
const report = (line: string): void =>
  void process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);
const folder = mkdtempSync(join(tmpdir(), "continuo-chaos-"));
const postgres = values.engine === "postgres" ? await startPostgres() : null;
report(`seed ${values.seed}`);
try {
  const result = await chaosHour({
    storeUrl: postgres?.url ?? `sqlite:${join(folder, "store.db")}`,
    servers: postgres === null ? 1 : 3,
    minutes: Number(values.minutes),
    seed: Number(values.seed),
    longMessages: Number(values.messages),
    command: values.command,
    folder,
    report,
  });
  const json = `${JSON.stringify(result, null, 2)}\n`;
  if (values.out !== undefined) writeFileSync(values.out, json);
  process.stdout.write(`${json}${summaryOf(result)}\n`);
  process.exitCode = result.failures.length > 0 ? 1 : 0;
} finally {
  await postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
}
