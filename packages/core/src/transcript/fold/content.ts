/** Payload values as blocks. */

import {
  type Block,
  type ToolCallBlock,
  type ToolResultBlock,
  type ToolStatus,
  toWellFormed,
  type Usage,
} from "../../model/index.ts";
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

/** `undefined` for a value that is neither a string nor an array. A block of no known type is kept as `unknown`. */
export function toBlocks(content: unknown): readonly Block[] | undefined {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  if (!Array.isArray(content)) return undefined;
  return content.map(toBlock);
}

function toBlock(value: unknown): Block {
  if (typeof value === "string") return { type: "text", text: value };
  if (!isFields(value) || !isWhole(value)) return { type: "unknown", raw: value };
  if (value.type !== "tool_result") return value as unknown as Block;
  const { status, ...rest } = value as unknown as ToolResultBlock;
  const known = status === "ok" || isFailure(status) ? { status } : {};
  return { ...rest, content: rest.content.map(toInner), isError: rest.isError === true, ...known };
}

/** A result has no calls and no other results: such a block is kept as it is, without a link. */
function isInner(value: unknown): boolean {
  return isFields(value) && value.type !== "tool_call" && value.type !== "tool_result" && isWhole(value);
}

function toInner(value: unknown): Block {
  return isInner(value) || typeof value === "string" ? toBlock(value) : { type: "unknown", raw: value };
}

/** Optional fields of a block that are texts. */
const TEXTS = ["signature", "data", "text", "typed", "name", "url", "blob", "rawArgs", "childSessionId"];

/** True if the value is a block: every required field is there, and fields for text are texts. */
function isWhole(block: Fields): boolean {
  const { type } = block;
  if (typeof type !== "string" || !Object.hasOwn(BLOCK_TYPES, type)) return false;
  if (type === "unknown") return true;
  if (TEXTS.some((key) => block[key] !== undefined && typeof block[key] !== "string")) return false;
  switch (type as Exclude<Block["type"], "unknown">) {
    case "text":
    case "thinking":
      return typeof block.text === "string";
    case "image":
    case "file":
      return typeof block.mimeType === "string";
    case "tool_call":
      return typeof block.id === "string" && typeof block.name === "string" && isFields(block.args);
    case "tool_result":
      return typeof block.toolCallId === "string" && Array.isArray(block.content);
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
    // Throws for content that is nested too deep to be written again.
    return isFields(value) && toWellFormed(value) !== undefined ? value : {};
  } catch {
    // The arguments are not JSON that can be stored: the text itself is in `rawArgs`.
    return {};
  }
}

/** The fields that a tool message repeats from its call. */
export function inputOf(call: ToolCallBlock): unknown {
  return call.rawArgs !== undefined && Object.keys(call.args).length === 0 ? call.rawArgs : call.args;
}

/** Content of an adapter that is no block (a diff) is in a block of the type `unknown`. */
function isBlockList(value: unknown): value is readonly unknown[] {
  return (
    Array.isArray(value) &&
    value.every((each) => typeof each === "string" || (isFields(each) && isWhole(each)))
  );
}

/** A string or blocks are returned as they are; other JSON becomes text, and is kept in `details`. */
export function toResult(toolCallId: string, output: unknown): ToolResultBlock {
  const result = { type: "tool_result", toolCallId, isError: false, status: "ok" } as const;
  if (output === undefined || output === null) return { ...result, content: [] };
  if (typeof output === "string") return { ...result, content: toBlocks(output) ?? [] };
  if (isBlockList(output)) return { ...result, content: output.map(toBlock) };
  return { ...result, content: [{ type: "text", text: JSON.stringify(output) }], details: output };
}

const FAILURES: Readonly<Record<Exclude<ToolStatus, "ok">, string>> = {
  error: "The tool failed.",
  denied: "Permission to use the tool was denied.",
  cancelled: "The call was cancelled.",
  interrupted: "The call was interrupted: whether it took effect is not known.",
};

/** The content of an error, text or blocks; further causes come first. */
export function toFailure(toolCallId: string, error: unknown, status: string | undefined): ToolResultBlock {
  const known = isFailure(status) ? status : "error";
  const failure = { type: "tool_result", toolCallId, isError: true, status: known } as const;
  if (isBlockList(error) && error.length > 0) {
    const blocks = error.map(toInner);
    return { ...failure, content: [...saidBefore(known, blocks), ...blocks] };
  }
  const words = wordsOf(error);
  const said = known === "error" ? words : [FAILURES[known], words].filter((part) => part !== "").join(" ");
  return {
    ...failure,
    content: [{ type: "text", text: said === "" ? FAILURES[known] : said }],
    ...(isFields(error) || Array.isArray(error) ? { details: error } : {}),
  };
}

/** Returns the failure if it is no plain error and the blocks do not begin with it. */
function saidBefore(status: Exclude<ToolStatus, "ok">, blocks: readonly Block[]): readonly Block[] {
  const [first] = blocks;
  const isSaid = first?.type === "text" && first.text.startsWith(FAILURES[status]);
  return status === "error" || isSaid ? [] : [{ type: "text", text: FAILURES[status] }];
}

function isFailure(status: string | undefined): status is Exclude<ToolStatus, "ok"> {
  return status !== undefined && Object.hasOwn(FAILURES, status);
}

const USAGE_KEYS: readonly (readonly [keyof Usage, string])[] = [
  ["inputTokens", "input_tokens"],
  ["outputTokens", "output_tokens"],
  ["cacheReadTokens", "cache_read_tokens"],
  ["cacheWriteTokens", "cache_write_tokens"],
  ["cacheWriteHourTokens", "cache_write_hour_tokens"],
  ["reasoningTokens", "reasoning_tokens"],
  ["totalTokens", "total_tokens"],
  ["costUsd", "cost_usd"],
];

/** `undefined` if it has no number that is known. */
export function toUsage(value: unknown): Usage | undefined {
  if (!isFields(value)) return undefined;
  const known: Record<string, number> = {};
  for (const [key, other] of USAGE_KEYS) {
    const number = value[key] ?? value[other];
    if (typeof number === "number" && Number.isFinite(number)) known[key] = number;
  }
  return Object.keys(known).length === 0 ? undefined : { inputTokens: 0, outputTokens: 0, ...known };
}
