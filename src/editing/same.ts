/** Whether a fork says what its source says. Pure. */

import type { Block, Message } from "../model/index.ts";

/** The first difference in words; `null` where there is none. Ids of messages and places of records are a session's own. */
export function firstDifference(source: readonly Message[], fork: readonly Message[]): string | null {
  if (source.length !== fork.length) return `it holds ${fork.length} messages of ${source.length}`;
  for (const [at, message] of source.entries()) {
    const [one, other] = [toldBy(message), toldBy(fork[at] ?? message)];
    const field = FIELDS.find((name) => JSON.stringify(one[name]) !== JSON.stringify(other[name]));
    if (field !== undefined) return `message ${at + 1} (${message.role}) differs in its ${field}`;
  }
  return null;
}

const FIELDS = [
  "role",
  "origin",
  "timestamp",
  "model",
  "usage",
  "stopReason",
  "toolName",
  "content",
] as const;

function toldBy(message: Message): Readonly<Record<(typeof FIELDS)[number], unknown>> {
  const { role, origin, timestamp, model, usage, stopReason, toolName } = message;
  return {
    ...{ role, origin, timestamp, model, usage, stopReason, toolName },
    content: message.content.map(plain),
  };
}

/** Sub-agents stay with the session that started them. */
function plain(block: Block): unknown {
  const { native: _native, childSessionId: _child, ...rest } = block as Block & { childSessionId?: string };
  if (rest.type === "tool_result") return { ...rest, content: rest.content.map(plain) };
  return rest.type === "unknown" ? { type: rest.type } : rest;
}
