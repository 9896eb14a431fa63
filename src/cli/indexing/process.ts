/** The process that indexes, and whether it runs. */

import type { Shell } from "../terminal/index.ts";

/** Does the work of `index update` without output and at low priority. */
export async function runIndexingWork(shell: Shell): Promise<number> {
  return await (await import("./run.ts")).runIndexing(shell);
}

/** True if a process of this `CONTINUO_HOME` indexes now. */
export async function isIndexing(shell: Shell): Promise<boolean> {
  return await (await import("./run.ts")).isLocked(shell);
}
