/** The part of this machine that the tools of the MCP server see. */

import { maskSecrets } from "@continuo/core/transcript";
import type { QuestionChannels, ToolContext } from "@continuo/server/mcp";
import { startIndexing } from "../indexing/index.ts";
import { patternsWork } from "../search/index.ts";
import { parseSince, type Shell } from "../terminal/index.ts";

/**
 * The time limit of a search by regular expression. Only one agent waits for this process, but a server must also
 * answer others.
 */
const REGEX_MS = { here: 20_000, remote: 2_000 } as const;

/**
 * @param caller `here`: an agent that started this process; `remote`: a client with a token of a server, which sees the
 * agents' sessions of the machine and no workspace
 */
export function toolContextOf(
  shell: Shell,
  caller: "here" | "remote",
  asking: QuestionChannels | null = null,
): ToolContext {
  return {
    places: shell,
    exclude: () => patternsWork(shell),
    onUnindexed: () => void startIndexing("search", shell),
    toTime: (text) => parseSince(text, new Date()),
    mask: (text) => maskSecrets(text).value,
    nowMs: () => Date.now(),
    ownSessions: caller === "here" ? "shown" : "hidden",
    callerPid: caller === "here" ? process.ppid : null,
    regexMs: REGEX_MS[caller],
    asking,
  };
}
