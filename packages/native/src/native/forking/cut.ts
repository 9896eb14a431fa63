/** The places where a history may be cut. Pure. */

import { ContinuoError, type Message } from "@continuo/core/model";

export interface Cut {
  /** The number of messages before the cut. */
  readonly count: number;
}

/** The fewest characters of a shortened id. */
const MIN_PREFIX_CHARS = 4;

/**
 * The cut after a message; `null` if no message of the history has the id.
 * Errors: `ambiguous`; `invalid` if it would separate a call from its result, with `details.instead`.
 */
export function cutAt(history: readonly Message[], id: string): Cut | null {
  const at = positionOf(history, id);
  if (at === null) return null;
  const open = new Set<string>();
  for (const message of history.slice(0, at + 1)) {
    for (const block of message.content) {
      if (block.type === "tool_call" && block.ranBy !== "model") open.add(block.id);
      if (block.type === "tool_result") open.delete(block.toolCallId);
    }
  }
  const parted = history.findLastIndex(
    ({ role, toolCallId }, where) => where > at && role === "tool" && open.has(toolCallId ?? ""),
  );
  if (parted === -1) return { count: at + 1 };
  const instead = history[parted]?.id ?? "";
  throw new ContinuoError(
    "invalid",
    `cannot cut after message ${id}: the result of an earlier call follows`,
    {
      hint: `Cut at ${instead} or before the call, so that a call and its result stay together.`,
      details: { instead },
    },
  );
}

/** Errors: `ambiguous`. */
function positionOf(history: readonly Message[], id: string): number | null {
  const exact = history.findIndex((message) => message.id === id);
  if (exact !== -1) return exact;
  if (id.length < MIN_PREFIX_CHARS) return null;
  const matches = history.flatMap((message, at) => (message.id.startsWith(id) ? [at] : []));
  if (matches.length > 1) {
    throw new ContinuoError("ambiguous", `${id} names ${matches.length} messages`, {
      hint: "Give more of the id.",
      details: { matches: matches.map((at) => history[at]?.id) },
    });
  }
  return matches[0] ?? null;
}
