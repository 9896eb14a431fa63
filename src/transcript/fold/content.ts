/** Payload values as blocks. */

import type { Block, ToolCallBlock, ToolResultBlock, ToolStatus, Usage } from "../../model/index.ts";
import { type Fields, isFields, wordsOf } from "../events/index.ts";

const BLOCK_TYPES: Readonly<Record<Block["type"], true>> = {
  text: true,
  image: true,
  file: true,
  thinking: true,
  tool_call: true,
  tool_result: true,
  unknown: true,
};

/** `undefined` for what is neither a string nor an array. A block of no known type is kept as `unknown`. */
export function toBlocks(content: unknown): readonly Block[] | undefined {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  if (!Array.isArray(content)) return undefined;
  return content.map(toBlock);
}

function toBlock(value: unknown): Block {
  if (typeof value === "string") return { type: "text", text: value };
  if (isFields(value) && typeof value.type === "string" && Object.hasOwn(BLOCK_TYPES, value.type)) {
    if (isWhole(value)) return value as unknown as Block;
  }
  return { type: "unknown", raw: value };
}

/** Whether what a block cannot do without is there. */
function isWhole(block: Fields): boolean {
  switch (block.type) {
    case "text":
    case "thinking":
      return typeof block.text === "string";
    case "tool_call":
      return typeof block.id === "string" && typeof block.name === "string" && isFields(block.args);
    case "tool_result":
      return typeof block.toolCallId === "string" && Array.isArray(block.content);
    default:
      return true;
  }
}

export function hasText(blocks: readonly Block[]): boolean {
  return blocks.some((block) => block.type === "text" && block.text !== "");
}

/** Arguments are an object; anything else is kept as the text that the agent gave. */
export function toCall(id: string, name: string, input: unknown): ToolCallBlock {
  if (input === undefined || input === null) return { type: "tool_call", id, name, args: {} };
  if (isFields(input)) return { type: "tool_call", id, name, args: input };
  const rawArgs = typeof input === "string" ? input : JSON.stringify(input);
  return { type: "tool_call", id, name, args: parsedArgs(rawArgs), rawArgs };
}

function parsedArgs(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : {};
  } catch {
    // No JSON: the text itself is kept in `rawArgs`.
    return {};
  }
}

/** What a tool message repeats of its call. */
export function inputOf(call: ToolCallBlock): unknown {
  return call.rawArgs !== undefined && Object.keys(call.args).length === 0 ? call.rawArgs : call.args;
}

/** A string or blocks as they are; other JSON as text, and itself in `details`. */
export function toResult(toolCallId: string, output: unknown): ToolResultBlock {
  const result = { type: "tool_result", toolCallId, isError: false, status: "ok" } as const;
  if (output === undefined || output === null) return { ...result, content: [] };
  if (typeof output === "string") return { ...result, content: toBlocks(output) ?? [] };
  const blocks = toBlocks(output);
  if (blocks?.every((block) => block.type !== "unknown")) {
    return { ...result, content: blocks };
  }
  return { ...result, content: [{ type: "text", text: JSON.stringify(output) }], details: output };
}

const FAILURES: Readonly<Record<Exclude<ToolStatus, "ok">, string>> = {
  error: "The tool failed.",
  denied: "Permission to use the tool was denied.",
  cancelled: "The call was cancelled.",
  interrupted: "The call was interrupted: whether it took effect is not known.",
};

/** An error tells its own story; what else went wrong is said first. */
export function toFailure(toolCallId: string, error: unknown, status: string | undefined): ToolResultBlock {
  const known = isFailure(status) ? status : "error";
  const words = wordsOf(error);
  const said = known === "error" ? words : [FAILURES[known], words].filter((part) => part !== "").join(" ");
  return {
    type: "tool_result",
    toolCallId,
    content: [{ type: "text", text: said === "" ? FAILURES[known] : said }],
    isError: true,
    status: known,
    ...(isFields(error) || Array.isArray(error) ? { details: error } : {}),
  };
}

function isFailure(status: string | undefined): status is Exclude<ToolStatus, "ok"> {
  return status !== undefined && Object.hasOwn(FAILURES, status);
}

const USAGE_KEYS: readonly (readonly [keyof Usage, string])[] = [
  ["inputTokens", "input_tokens"],
  ["outputTokens", "output_tokens"],
  ["cacheReadTokens", "cache_read_tokens"],
  ["cacheWriteTokens", "cache_write_tokens"],
  ["reasoningTokens", "reasoning_tokens"],
  ["totalTokens", "total_tokens"],
  ["costUsd", "cost_usd"],
];

export function toUsage(value: unknown): Usage | undefined {
  if (!isFields(value)) return undefined;
  const usage: Record<string, number> = { inputTokens: 0, outputTokens: 0 };
  for (const [key, other] of USAGE_KEYS) {
    const number = value[key] ?? value[other];
    if (typeof number === "number" && Number.isFinite(number)) usage[key] = number;
  }
  return usage as unknown as Usage;
}
