/**
 * The cost of messages. Every block has a cost: characters are UTF-16 units. In characters, a picture costs as much as
 * its placeholder; in tokens, as much as a large one costs at a vendor.
 */

import type { Block, FileBlock, ImageBlock, Message, ToolCallBlock } from "../../model/index.ts";

/** Returns the number of tokens of a text, by the model's own count. */
export type Tokenizer = (text: string) => number;

export interface Cost {
  readonly messages: number;
  readonly chars: number;
  /** 0 without a tokenizer. */
  readonly tokens: number;
}

export const NO_COST: Cost = { messages: 0, chars: 0, tokens: 0 };

export function costOf(messages: readonly Message[], tokenizer: Tokenizer | undefined): Cost {
  let chars = 0;
  let tokens = 0;
  for (const message of messages) {
    for (const block of message.content) {
      chars += charsOf(block);
      if (tokenizer !== undefined) tokens += tokensOf(block, tokenizer);
    }
  }
  return { messages: messages.length, chars, tokens };
}

/**
 * The tokens of a picture, or of a file whose data a model receives. Source: the pages of the vendors, November 2026;
 * Anthropic counts up to about 1,600 for a picture, OpenAI and Google less.
 */
const MEDIA_TOKENS = 1_600;

function tokensOf(block: Block, tokenizer: Tokenizer): number {
  if (block.type === "tool_result") {
    return block.content.reduce((sum, inner) => sum + tokensOf(inner, tokenizer), 0);
  }
  const media = isMedia(block) ? MEDIA_TOKENS : 0;
  return textsOf(block).reduce((sum, text) => sum + tokenizer(text), media);
}

/** True for a block whose data a model receives. */
export function isMedia(block: Block): boolean {
  return block.type === "image" || (block.type === "file" && block.text === undefined);
}

/** The tokens of the pictures and files in messages. */
export function mediaTokensOf(messages: readonly Message[]): number {
  return costOf(messages, () => 0).tokens;
}

export function charsOfMessages(messages: readonly Message[]): number {
  return costOf(messages, undefined).chars;
}

export function charsOf(block: Block): number {
  if (block.type === "text") return block.text.length + (block.signature?.length ?? 0);
  let chars = 0;
  for (const text of textsOf(block)) chars += text.length;
  return chars;
}

/** The texts of a block that are sent to a model. */
export function textsOf(block: Block): readonly string[] {
  switch (block.type) {
    case "text":
      return [block.text, block.signature ?? ""];
    case "thinking":
      return [block.text, block.signature ?? "", block.data ?? ""];
    case "tool_call":
      return [block.name, argsText(block), block.signature ?? ""];
    case "tool_result":
      return block.content.flatMap(textsOf);
    case "image":
      return [placeholder(block)];
    case "file":
      return [placeholder(block), block.text ?? ""];
    case "unknown":
      return [JSON.stringify(block.raw) ?? ""];
  }
}

export function argsText(call: ToolCallBlock): string {
  const isText = call.rawArgs !== undefined && Object.keys(call.args).length === 0;
  return isText ? (call.rawArgs ?? "") : JSON.stringify(call.args);
}

/** The text that replaces a picture or a file. */
export function placeholder(block: ImageBlock | FileBlock): string {
  const name = block.type === "file" && block.name !== undefined ? ` ${block.name}` : "";
  return `[${block.type}${name} ${block.mimeType}]`;
}

/** The exports of a tokenizer's module, for example `await import("gpt-tokenizer")`. */
export interface TokenizerModule {
  readonly countTokens?: (text: string) => number;
  readonly encode?: (text: string) => { readonly length: number };
}

/** Counts with `countTokens` if the module has it, otherwise by encoding. */
export function toTokenizer({ countTokens, encode }: TokenizerModule): Tokenizer {
  if (countTokens !== undefined) return (text) => (text === "" ? 0 : countTokens(text));
  return (text) => (text === "" ? 0 : (encode?.(text).length ?? text.length));
}
