/**
 * `npm run bench -- waits [--quick] [--write]`: the table of all times for which a person waits, compared with the
 * minimum that the machine needs, in one run. With `--write` it becomes `docs/speed.md`. `--quick` takes 1,500 sessions
 * instead of 5,000, hand-overs of 10 MB instead of 50, and fewer rounds; `--only` some of the parts `commands`,
 * `hand-over`, `agents`, `stores` and `servers`.
 *
 * Work of one process, or of processes that wait for each other, is measured by its processor time, which other
 * programs change little; work that waits for a disk, a network or several processors is measured by the clock.
 */

import { mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { beginReport, print } from "../measure/index.ts";
import { agentRows } from "./agents.ts";
import { commandRows } from "./commands.ts";
import { handOffRows } from "./hand-over.ts";
import { printRows } from "./page.ts";
import type { Rows, WaitsOptions } from "./rows.ts";
import { serverRows } from "./servers.ts";
import { storeRows } from "./stores.ts";

const FOLDER = process.env.CONTINUO_BENCH ?? join(homedir(), ".cache/continuo-bench");

const PARTS: Readonly<Record<string, (options: WaitsOptions) => Rows | Promise<Rows>>> = {
  commands: commandRows,
  "hand-over": handOffRows,
  agents: agentRows,
  stores: storeRows,
  servers: serverRows,
};

interface RunOptions {
  readonly rounds: number;
  readonly quick: boolean;
  readonly only: readonly string[];
}

export async function run({ rounds, quick, only }: RunOptions): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  const rows: Rows[number][] = [];
  const began = performance.now();
  for (const [name, measure] of Object.entries(PARTS)) {
    if (only.length > 0 && !only.includes(name)) continue;
    const partBegan = performance.now();
    try {
      rows.push(...(await measure({ rounds, quick, folder: FOLDER })));
    } catch (error) {
      // The other rows are still useful.
      rows.push({ work: name, missing: String(error).split("\n")[0] ?? "" });
    }
    console.log(`${name}: ${((performance.now() - partBegan) / 1_000).toFixed(0)} s`);
  }
  beginReport();
  printRows(rows);
  print(
    `\nMeasured in ${((performance.now() - began) / 60_000).toFixed(1)} minutes${quick ? ", quick" : ""}.`,
  );
}
