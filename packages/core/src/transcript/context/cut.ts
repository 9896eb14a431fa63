/** Cuts texts: a mark replaces the middle and gives its length if there is room; no character is split. */

import type { Block, Message, ToolCallBlock } from "../../model/index.ts";
import { textOf } from "../../model/index.ts";
import { argsText, charsOf, charsOfMessages, isMedia, placeholder } from "./cost.ts";

/** The mark of a text that has no room for a mark with a number. */
const SHORT_MARK = "…";

/** The result is at most `maxChars` long. The mark is short if there is little room. */
export function cutMiddle(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  if (maxChars < SHORT_MARK.length) return "";
  const counted = (count: number): string => `\n[… ${count} characters left out …]\n`;
  const isShort = maxChars < counted(text.length).length * 2;
  const mark = isShort ? () => SHORT_MARK : counted;
  const room = maxChars - mark(text.length).length;
  const headEnd = beforePair(text, Math.ceil(room / 2));
  const tailStart = afterPair(text, text.length - Math.floor(room / 2));
  return text.slice(0, headEnd) + mark(tailStart - headEnd) + text.slice(tailStart);
}

function beforePair(text: string, at: number): number {
  return isInPair(text, at) ? at - 1 : at;
}

function afterPair(text: string, at: number): number {
  return isInPair(text, at) ? at + 1 : at;
}

function isInPair(text: string, at: number): boolean {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(at - 1, at + 1));
}

/**
 * Messages that cost at most `maxChars`, or, if that is more, only the cost of the names of their calls. Short texts
 * stay whole: the longest ones are cut to the same length. Each message that lost something says how much in
 * `metadata.cut`.
 */
export function cutMessages(messages: readonly Message[], maxChars: number): readonly Message[] {
  if (charsOfMessages(messages) <= maxChars) return messages;
  // A block that cannot be cut is kept if there is room for it and for some text.
  const kept = fixedChars(messages) * 2 <= maxChars ? messages : messages.map(withPlaceholders);
  const lengths = kept.flatMap((message) => cuttable(message.content).map((text) => text.length));
  const level = fillLevel(lengths, maxChars - fixedChars(kept));
  const calls = new Map<string, ToolCallBlock>();
  return kept.map((message, at) => {
    const content = message.content.map((block) => cutBlock(block, level));
    for (const block of content) if (block.type === "tool_call") calls.set(block.id, block);
    return marked({ ...message, content }, messages[at] ?? message, calls);
  });
}

/** The copies of the call and the result in a tool message are cut too; `cut` is the number of removed characters. */
function marked(message: Message, original: Message, calls: ReadonlyMap<string, ToolCallBlock>): Message {
  const cut = charsOfMessages([original]) - charsOfMessages([message]);
  const repeated: { toolInput?: unknown; toolOutput?: string } = {};
  if (message.role === "tool") {
    const [result] = message.content;
    const call = calls.get(message.toolCallId ?? "");
    if (result?.type === "tool_result") repeated.toolOutput = textOf(result.content);
    if (call !== undefined && "toolInput" in message) {
      repeated.toolInput = isTextCall(call) ? call.rawArgs : call.args;
    }
  }
  return { ...message, ...repeated, metadata: cut > 0 ? { ...message.metadata, cut } : message.metadata };
}

/** Returns the cost of messages without the texts that can be cut. */
function fixedChars(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => {
    const texts = cuttable(message.content).reduce((total, text) => total + text.length, 0);
    return sum + charsOfMessages([message]) - texts;
  }, 0);
}

function cuttable(blocks: readonly Block[]): readonly string[] {
  return blocks.flatMap((block): readonly string[] => {
    switch (block.type) {
      case "text":
        return [block.text];
      case "thinking":
        // The signature covers the whole text.
        return block.signature === undefined && block.data === undefined ? [block.text] : [];
      case "tool_call":
        return [isTextCall(block) ? argsText(block) : argsText(block).slice(EMPTY_ARGS)];
      case "tool_result":
        return cuttable(block.content);
      case "file":
        return block.text === undefined ? [] : [block.text];
      default:
        return [];
    }
  });
}

/** Placeholders replace the pictures and the files whose data a model would receive. Other blocks stay as they are. */
export function withoutMedia(message: Message): Message {
  const content = message.content.map(replaceMedia);
  if (content.every((block, at) => block === message.content[at])) return message;
  return marked({ ...message, content }, message, new Map());
}

function replaceMedia(block: Block): Block {
  if (isMedia(block)) return toPlaceholder(block);
  if (block.type !== "tool_result") return block;
  const content = block.content.map(replaceMedia);
  if (content.every((inner, at) => inner === block.content[at])) return block;
  const { native: _, details: __, ...rest } = block;
  return { ...rest, content };
}

/** Everything that cannot be cut becomes text that can. */
function withPlaceholders(message: Message): Message {
  return { ...message, content: message.content.map(toPlaceholder) };
}

function toPlaceholder(block: Block): Block {
  switch (block.type) {
    case "image":
      return { type: "text", text: placeholder(block) };
    case "file":
      return { type: "text", text: [placeholder(block), block.text ?? ""].join("\n").trimEnd() };
    case "unknown":
      return { type: "text", text: JSON.stringify(block.raw) ?? "" };
    case "thinking":
      return { type: "thinking", text: block.text };
    case "text":
      return { type: "text", text: block.text };
    case "tool_call": {
      const { signature: _, ...call } = block;
      return call;
    }
    case "tool_result":
      return { ...block, content: block.content.map(toPlaceholder) };
  }
}

/** The length to which the longest texts are cut so that all together are at most `max` long. */
function fillLevel(lengths: readonly number[], max: number): number {
  let room = Math.max(0, max);
  const sorted = [...lengths].sort((a, b) => a - b);
  for (const [at, length] of sorted.entries()) {
    const share = Math.floor(room / (sorted.length - at));
    if (length > share) return share;
    room -= length;
  }
  return Number.POSITIVE_INFINITY;
}

/** A block that was changed is no longer the record that it came from, and its signature no longer fits. */
function cutBlock(block: Block, level: number): Block {
  if (charsOf(block) <= level) return block;
  switch (block.type) {
    case "text":
    case "file": {
      if (block.text === undefined || block.text.length <= level) return block;
      const { native: _, ...rest } = block;
      const text = cutMiddle(block.text, level);
      if (rest.type === "file") return { ...rest, text };
      return { type: "text", text };
    }
    case "thinking":
      if (block.signature !== undefined || block.data !== undefined) return block;
      return { type: "thinking", text: cutMiddle(block.text, level) };
    case "tool_call":
      return cutCall(block, level);
    case "tool_result": {
      const { native: _, details: __, ...rest } = block;
      return { ...rest, content: block.content.map((inner) => cutBlock(inner, level)) };
    }
    default:
      return block;
  }
}

/** `{}`: the cost of removed arguments. */
const EMPTY_ARGS = 2;

function isTextCall(call: ToolCallBlock): boolean {
  return call.rawArgs !== undefined && Object.keys(call.args).length === 0;
}

function cutCall(call: ToolCallBlock, level: number): ToolCallBlock {
  const { native: _, signature: __, rawArgs, ...rest } = call;
  if (isTextCall(call)) {
    const text = argsText(call);
    return text.length <= level ? call : { ...rest, rawArgs: cutMiddle(text, level) };
  }
  const max = level + EMPTY_ARGS;
  if (argsText(call).length <= max) return call;
  for (let longest = max; longest >= 1; longest = Math.floor(longest / 2)) {
    const args = cutStrings(call.args, longest) as ToolCallBlock["args"];
    if (JSON.stringify(args).length <= max) return { ...rest, args };
  }
  return { ...rest, args: {} };
}

function cutStrings(value: unknown, maxChars: number): unknown {
  if (typeof value === "string") return cutMiddle(value, maxChars);
  if (Array.isArray(value)) return value.map((item) => cutStrings(item, maxChars));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cutStrings(item, maxChars)]));
}
