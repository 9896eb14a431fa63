/** The options that the command line passes to a conversation: places, a store, and a progress line. */

import type { TalkFlags, TalkOptions } from "@continuo/agents/conversations";
import { createProgress, type Progress, type Shell } from "../terminal/index.ts";

/** The store is loaded when it is first needed, so that the agent's program can start first. */
export function conversationOf(
  flags: TalkFlags,
  shell: Shell,
): Pick<TalkOptions, "places" | "openStore" | "onProgress"> {
  let progress: Progress | null = null;
  return {
    places: shell,
    openStore: async (options) => {
      const { openForCommand } = await import("../store/index.ts");
      return await openForCommand(flags, shell, options);
    },
    onProgress(text) {
      if (text === "") {
        progress?.[Symbol.dispose]();
        progress = null;
        return;
      }
      progress ??= createProgress(shell);
      progress.show(text);
    },
  };
}
