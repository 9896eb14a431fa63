/** The work of commands for other folders, loaded when it is called for. */

import type { Shell } from "../terminal/index.ts";

/** Patterns of sessions that are kept out of the index. Errors: `usage` for an invalid file. */
export async function patternsWork(shell: Shell): Promise<readonly string[]> {
  return await (await import("./texts.ts")).patternsOf(shell);
}

/** Runs `search` and returns its output as lines for a terminal; the numbers of the results belong to the terminal. */
export async function searchWork(text: string, shell: Shell): Promise<readonly string[]> {
  return await (await import("./search.ts")).searchLines(text, shell);
}
