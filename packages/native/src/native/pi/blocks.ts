/**
 * Converts content blocks as pi keeps them (seen in 0.73.1, 0.87.1 and 1.5.2) to blocks of the model. Nothing is lost:
 * if a block has more content than the model can represent, its original is in `native`. Pure.
 */

import type { Block } from "@continuo/core/model";
import { entryOf, hasOnly, isJson, type Json, optional, textField, textOfValue } from "@continuo/files";
import { blocksOf, skillIn } from "./records.ts";

export interface BlockOptions {
  /** The API of the answer with the blocks, which shows the vendor of their signatures. */
  readonly api: string | null;
  /** True if the blocks belong to an answer, in which a text can be a thought. */
  readonly isAnswer?: boolean;
  /** True if the blocks are a prompt of the person, which can begin with a skill. */
  readonly isPrompt?: boolean;
}

/** Converts content, which may be a text, a list of blocks, or absent. */
export function toBlocks(content: unknown, options: BlockOptions = { api: null }): Block[] {
  return blocksOf(content).map((block) => toBlock(block, options));
}

function toBlock(raw: unknown, options: BlockOptions): Block {
  if (!isJson(raw)) return { type: "unknown", raw };
  switch (raw.type) {
    case "text":
      return toMarked(raw, options) ?? toText(raw, options);
    case "thinking":
      return toThinking(raw, options);
    case "image":
      return toImage(raw);
    case "toolCall":
      return toToolCall(raw);
    default:
      return { type: "unknown", raw };
  }
}

function toText(raw: Json, { isPrompt }: BlockOptions): Block {
  if (typeof raw.text !== "string") return { type: "unknown", raw };
  const signature = textField(raw, "textSignature");
  const skill = isPrompt === true ? skillIn(raw.text) : null;
  const block = { type: "text", text: raw.text, ...skill, ...optional("signature", signature) } as const;
  return withNative(block, raw, ["text", ...(signature === null ? [] : ["textSignature"])]);
}

const MARKED = /^\s*<thinking>\r?\n?((?:(?!<\/?thinking>)[\s\S])*?)\r?\n?<\/thinking>\s*$/u;

/**
 * A text of an answer that is completely in markers is a thought, because models without a field for thoughts write
 * them in this way. The block keeps its record in `native`, and is written again as that record.
 */
function toMarked(raw: Json, { isAnswer }: BlockOptions): Block | null {
  if (isAnswer !== true || typeof raw.text !== "string" || !hasOnly(raw, ["type", "text"])) return null;
  const text = MARKED.exec(raw.text)?.[1];
  return text === undefined ? null : { type: "thinking", text, native: raw };
}

/** If the file has a thought as a text in markers, returns that text as a block. Returns any other block unchanged. */
export function asText(block: Block): Block {
  if (block.type !== "thinking" || !isJson(block.native) || block.native.type !== "text") return block;
  return { type: "text", text: textOfValue(block.native.text) };
}

/** In a redacted block, the field of the signature has what the vendor gave in place of the text: it becomes `data`. */
function toThinking(raw: Json, { api }: BlockOptions): Block {
  if (typeof raw.thinking !== "string") return { type: "unknown", raw };
  const signature = textField(raw, "thinkingSignature");
  const vendor = signature === null ? undefined : entryOf(SIGNERS, api ?? "");
  const block = {
    type: "thinking",
    text: raw.thinking,
    ...(signature === null ? {} : raw.redacted === true ? { data: signature } : { signature }),
    ...(raw.redacted === true ? { redacted: true } : {}),
    ...(vendor === undefined ? {} : { signedBy: vendor }),
  } as const;
  const told = ["thinking", ...(signature === null ? [] : ["thinkingSignature"])];
  return withNative(
    block,
    raw,
    raw.redacted === undefined || raw.redacted === true ? [...told, "redacted"] : told,
  );
}

/**
 * The vendor that signs the thinking, by API. Chat Completions is left out: with it, the "signature" is the name of a
 * field (seen: `reasoning_content`), and not a signature of a vendor.
 */
const SIGNERS: Readonly<Record<string, string>> = {
  "anthropic-messages": "anthropic",
  "bedrock-converse-stream": "anthropic",
  "openai-responses": "openai",
  "azure-openai-responses": "openai",
  "openai-codex-responses": "openai",
  "google-generative-ai": "google",
  "google-vertex": "google",
};

function toImage(raw: Json): Block {
  const data = textField(raw, "data");
  const mimeType = textField(raw, "mimeType");
  if (data === null || mimeType === null) return { type: "unknown", raw };
  return withNative({ type: "image", mimeType, data }, raw, ["data", "mimeType"]);
}

/** Gives a call whose id is lost an empty id, because pi sends such a call too. Returns any other block unchanged. */
export function asCall(block: Block): Block {
  if (block.type !== "unknown" || !isJson(block.raw) || block.raw.type !== "toolCall") return block;
  return toToolCall({ ...block.raw, id: "" });
}

function toToolCall(raw: Json): Block {
  const { id, name, arguments: args } = raw;
  if (typeof id !== "string") return { type: "unknown", raw };
  const signature = textField(raw, "thoughtSignature");
  const block: Block = {
    type: "tool_call",
    id,
    name: typeof name === "string" ? name : "",
    args: isJson(args) ? args : {},
    ...(isJson(args) ? {} : { rawArgs: typeof args === "string" ? args : (JSON.stringify(args) ?? "") }),
    ...optional("signature", signature),
  };
  const told = ["id", ...(signature === null ? [] : ["thoughtSignature"])];
  if (typeof name === "string") told.push("name");
  if (isJson(args)) told.push("arguments");
  return withNative(block, raw, told);
}

function withNative<T extends Block>(block: T, raw: Json, told: readonly string[]): T {
  return hasOnly(raw, ["type", ...told]) ? block : { ...block, native: raw };
}
