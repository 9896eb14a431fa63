/** What the tools of the MCP server see of this machine. */

import type { Machine } from "../../mcp/index.ts";
import { maskSecrets } from "../../transcript/index.ts";
import { patternsWork } from "../search/index.ts";
import { parseSince, type Shell } from "../terminal/index.ts";

export function machineOf(shell: Shell): Machine {
  return {
    places: shell,
    exclude: () => patternsWork(shell),
    toTime: (text) => parseSince(text, new Date()),
    mask: (text) => maskSecrets(text).value,
    nowMs: () => Date.now(),
    ownSessions: "shown",
    callerPid: process.ppid,
  };
}
