/** The work of commands for other folders, loaded when it is called for. */

import type { Shell } from "../terminal/index.ts";

/** Runs `continuo resume`. */
export async function resumeWork(id: string, shell: Shell): Promise<number> {
  return await (await import("./resume.ts")).runResume({ id, args: [], flags: {} }, shell);
}
