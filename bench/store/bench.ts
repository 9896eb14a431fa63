/** `npm run bench -- store`: the store compared with its databases. The limits are in `limits.ts`. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { printRatios, type Ratio } from "../measure/index.ts";
import { benchAppends } from "./appends.ts";
import { benchGrowth } from "./growth.ts";
import { benchPostgres } from "./postgres.ts";
import { benchReplay } from "./replay.ts";

export async function run(options: { readonly large: boolean; readonly rounds: number }): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "continuo-bench-store-"));
  const rounds = Math.max(5, options.rounds);
  try {
    const ratios: Ratio[] = [];
    ratios.push(...(await benchReplay(folder, rounds)));
    ratios.push(...(await benchAppends(folder, rounds)));
    ratios.push(...(await benchPostgres(rounds)));
    if (options.large) ratios.push(...(await benchGrowth(folder, rounds)));
    printRatios(ratios);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
