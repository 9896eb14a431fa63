/**
 * The commands that agents call at each prompt and each end of a session. They are bundled separately from the other
 * commands, so that an agent waits only for code that a hook uses.
 */

import { runGuardAfterSession, runGuardHook } from "./guard/index.ts";
import type { Shell } from "./terminal/index.ts";

/** Resolves to the exit code. */
export type AgentHook = (shell: Shell) => Promise<number>;

export const hooks: Readonly<Record<string, AgentHook>> = {
  "guard hook": runGuardHook,
  "guard run --quiet": async (shell) => {
    await runGuardAfterSession(shell);
    return 0;
  },
};
