/** The tools of a turn: each call gets a key, and one that a person permitted reports its start before it begins. */

import type { ToolSet } from "ai";
import type { CallKeys } from "./call-keys.ts";

/** The starts of permitted calls, by their ids. A start that rejects keeps its call from beginning. */
export type CallStarts = ReadonlyMap<string, () => Promise<void>>;

type Execute = (input: unknown, options: { readonly toolCallId: string }) => unknown;

export function preparedTools(
  tools: ToolSet,
  { keys, starts }: { readonly keys: CallKeys; readonly starts: CallStarts },
): ToolSet {
  const prepared = Object.entries(tools).map(([name, tool]) => {
    if (tool.execute === undefined) return [name, tool] as const;
    const own = tool.execute.bind(tool) as Execute;
    const execute: Execute = (input, options) => {
      const keyed = { ...options, idempotencyKey: keys.take(name, input) };
      const start = starts.get(options.toolCallId);
      return start === undefined ? own(input, keyed) : started(start, () => own(input, keyed));
    };
    return [name, { ...tool, execute }] as const;
  });
  return Object.fromEntries(prepared) as ToolSet;
}

/** Yields the results of a tool, because some tools return several: the last one is the result of the call. */
async function* started(start: () => Promise<void>, call: () => unknown): AsyncGenerator<unknown, void> {
  await start();
  const result = await call();
  if (isAsyncIterable(result)) yield* result;
  else yield result;
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}
