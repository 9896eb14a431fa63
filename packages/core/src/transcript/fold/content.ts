/** Makes blocks of the values in payloads. */

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

/** True for a block that a result may contain. A call or another result is kept in a block of the type `unknown`. */
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

/** Arguments are an object. Any other input is also kept as text, in `rawArgs`. */
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

/** Returns the arguments of a call: `rawArgs` if it is set and `args` is empty, otherwise `args`. */
export function inputOf(call: ToolCallBlock): unknown {
  return call.rawArgs !== undefined && Object.keys(call.args).length === 0 ? call.rawArgs : call.args;
}

/** True if each item is a text or a block. Adapters put other content, such as a diff, into an `unknown` block. */
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

/** Makes a result of an error. If the status says more than `error`, a sentence about it comes first. */
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

/** Returns the sentence for the status, unless the status is `error` or the blocks already begin with the sentence. */
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

/** `undefined` if the value has none of the known numbers. */
export function toUsage(value: unknown): Usage | undefined {
  if (!isFields(value)) return undefined;
  const known: Record<string, number> = {};
  for (const [key, other] of USAGE_KEYS) {
    const number = value[key] ?? value[other];
    if (typeof number === "number" && Number.isFinite(number)) known[key] = number;
  }
  return Object.keys(known).length === 0 ? undefined : { inputTokens: 0, outputTokens: 0, ...known };
}
