/** The work of the command for other folders, loaded on first use. */

import type { Shell } from "../terminal/index.ts";

/** Runs `continuo repl --resume`. */
export async function replWork(id: string, shell: Shell): Promise<number> {
  return await (await import("./repl.ts")).runRepl({ resume: id }, shell);
}
