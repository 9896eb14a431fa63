/**
 * The tools of a turn: each call gets a key, and one that a person permitted reports its start before it begins. Their
 * definitions are reported, because a call in the log is only complete with the definition of its tool.
 */

import { present, type ToolDefinition, type ToolOffer, toPlainJson } from "@continuo/core/model";
import { isJson } from "@continuo/files";
import type { asSchema, ToolSet } from "ai";
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

/** Further tools are only counted. The bytes are those of the definitions as JSON. */
const OFFER_LIMITS = { tools: 128, bytes: 65_536 };

/** The definitions of all tools, as far as the limits allow. A schema that is not JSON is left out of its definition. */
export async function offerOf(tools: ToolSet, toSchema: typeof asSchema): Promise<ToolOffer> {
  const offered: ToolDefinition[] = [];
  let bytes = 0;
  for (const [name, { description, inputSchema }] of Object.entries(tools)) {
    const words = typeof description === "string" ? description : undefined;
    const schema = await jsonOf(inputSchema, toSchema);
    const definition = present({ name, description: words, inputSchema: schema });
    const sizeBytes = Buffer.byteLength(JSON.stringify(definition));
    if (offered.length === OFFER_LIMITS.tools || bytes + sizeBytes > OFFER_LIMITS.bytes) continue;
    bytes += sizeBytes;
    offered.push(definition);
  }
  const left = Object.keys(tools).length - offered.length;
  return { tools: offered, ...present({ toolsLeftOut: left === 0 ? undefined : left }) };
}

async function jsonOf(
  inputSchema: ToolSet[string]["inputSchema"],
  toSchema: typeof asSchema,
): Promise<ToolDefinition["inputSchema"]> {
  try {
    const schema = toPlainJson(await toSchema<unknown>(inputSchema).jsonSchema);
    return isJson(schema) ? schema : undefined;
  } catch {
    // The call of the model reports a schema that cannot be converted.
    return undefined;
  }
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
