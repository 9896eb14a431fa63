/** Compares a fork with its source. */

import type { Block, Message } from "@continuo/core/model";

type Messages = AsyncIterable<Message> | Iterable<Message>;

/**
 * The first difference in words; `null` if there is none. Ids of messages and places of records differ between
 * sessions, so they are not compared. Both sides are read in parallel, with one message of each in memory.
 */
export async function firstDifference(source: Messages, fork: Messages): Promise<string | null> {
  const [ones, others] = [iteratorOf(source), iteratorOf(fork)];
  for (let at = 0; ; at++) {
    const [one, other] = [await ones.next(), await others.next()];
    if (one.done && other.done) return null;
    if (one.done || other.done) {
      const rest = 1 + (await countOf(one.done ? others : ones));
      const [all, there] = one.done ? [at, at + rest] : [at + rest, at];
      return `it holds ${there} messages of ${all}`;
    }
    const [wanted, given] = [comparedFields(one.value), comparedFields(other.value)];
    const field = FIELDS.find((name) => JSON.stringify(wanted[name]) !== JSON.stringify(given[name]));
    if (field !== undefined) return `message ${at + 1} (${one.value.role}) differs in its ${field}`;
  }
}

async function* iteratorOf(messages: Messages): AsyncGenerator<Message, void, void> {
  yield* messages;
}

async function countOf(rest: AsyncIterator<Message, void>): Promise<number> {
  let count = 0;
  while (!(await rest.next()).done) count += 1;
  return count;
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

function comparedFields(message: Message): Readonly<Record<(typeof FIELDS)[number], unknown>> {
  const { role, origin, timestamp, model, usage, stopReason, toolName } = message;
  return {
    role,
    origin,
    timestamp,
    model,
    usage,
    stopReason,
    toolName,
    content: message.content.map(plain),
  };
}

/** The block without its sub-agent, because sub-agents stay with the session that started them. */
function plain(block: Block): unknown {
  const { native: _native, childSessionId: _child, ...rest } = block as Block & { childSessionId?: string };
  if (rest.type === "tool_result") return { ...rest, content: rest.content.map(plain) };
  return rest.type === "unknown" ? { type: rest.type } : rest;
}
