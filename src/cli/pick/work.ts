/** The picker for commands that need a session; loaded when one of them asks. */

import type { SessionWish, Shell } from "../terminal/index.ts";

/** Errors: `interrupted` if the person chose none. */
export async function chooseWork(wish: SessionWish, shell: Shell): Promise<readonly string[]> {
  return await (await import("./pick.ts")).chooseSessions(wish, shell);
}
