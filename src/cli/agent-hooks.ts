/**
 * The commands that agents call at each prompt and each end of a session. They are bundled separately from the other
 * commands, so that an agent waits only for code that a hook uses.
 */

import type { Shell } from "./terminal/index.ts";

/** Resolves to the exit code. */
export type AgentHook = (shell: Shell) => Promise<number>;

export const hooks: Readonly<Record<string, AgentHook>> = {
  "guard hook": async (shell) => await (await import("./guard/hook/index.ts")).runHook({}, shell),
  "guard run --quiet": async (shell) => {
    await (await import("./guard/quiet/index.ts")).runAfterSession(shell);
    return 0;
  },
};
