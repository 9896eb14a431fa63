/** The parts that the tools `fix` and `how` share. */

import type { findRepairs } from "@continuo/agents/search";
import { MCP_LIMITS } from "./limits.ts";
import { isVisible } from "./sessions.ts";
import type { ToolContext } from "./tool-context.ts";

/** `folder` is the folder of the agent that started the server; over HTTP there is no such agent (`null`). */
export async function experienceOptions(
  context: ToolContext,
  signal: AbortSignal,
): Promise<Parameters<typeof findRepairs>[1]> {
  const { places, exclude, nowMs, onUnindexed, callerPid } = context;
  return {
    places,
    signal,
    onUnindexed,
    exclude: await exclude(),
    nowMs: nowMs(),
    timeMs: MCP_LIMITS.searchMs,
    folder: callerPid === null ? null : places.cwd,
    isVisible: (session) => isVisible(session, context),
  };
}

export function notReadText(notRead: number): string {
  if (notRead === 0) return "";
  return `${notRead} ${notRead === 1 ? "session was" : "sessions were"} not searched or read.`;
}
