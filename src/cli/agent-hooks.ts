/**
 * The commands that agents call at each prompt and each end of a session. They are bundled apart from the other commands, so that an
 * agent waits for nothing that a hook does not use.
 */

import type { Shell } from "./terminal/index.ts";

/** The exit code. */
export type AgentHook = (shell: Shell) => Promise<number>;

export const hooks: Readonly<Record<string, AgentHook>> = {
  "guard hook": async (shell) => await (await import("./guard/hook/index.ts")).runHook({}, shell),
  "guard run --quiet": async (shell) => {
    await (await import("./guard/quiet/index.ts")).runAfterSession(shell);
    return 0;
  },
};
