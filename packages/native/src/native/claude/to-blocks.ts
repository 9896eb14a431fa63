/** Converts blocks of the model to blocks of the Messages API, in the form of Claude Code's lines. Pure. */

import type { Block, FileBlock, ThinkingBlock, ToolResultBlock } from "@continuo/core/model";
import type { Json } from "@continuo/files";
import { refuseBlock } from "../writing/index.ts";

/** Errors: `invalid` for blocks that the API does not accept there. */
export function toNativeContent(content: readonly Block[], where: string): Json[] {
  return content.map((block) => toNative(block, where));
}

function toNative(block: Block, where: string): Json {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "image":
      return { type: "image", source: sourceOf(block.mimeType, block, where, block) };
    case "file":
      return toDocument(block, where);
    case "thinking":
      return toThinking(block, where);
    case "tool_call":
      return { type: "tool_use", id: block.id, name: block.name, input: block.args };
    case "tool_result":
    case "unknown":
      return refuseBlock("Claude Code", block, where);
  }
}

export function toNativeResult(block: ToolResultBlock): Json {
  const [only] = block.content;
  const isText = block.content.length === 1 && only?.type === "text";
  return {
    tool_use_id: block.toolCallId,
    type: "tool_result",
    content: isText ? only.text : toNativeContent(block.content, "a tool result"),
    ...(block.isError ? { is_error: true } : {}),
  };
}

/**
 * The API accepts no thinking without a signature. It also refuses an empty signature, and Claude Code then leaves the
 * thinking out. The sealed thinking of another vendor has the same form as its own.
 */
function toThinking(block: ThinkingBlock, where: string): Json {
  const isSealed = (block.signature ?? block.data ?? "") !== "";
  if (isSealed && block.signedBy !== undefined && block.signedBy !== "anthropic")
    return refuseBlock("Claude Code", block, where);
  if (block.redacted === true && block.data !== undefined && block.signedBy === "anthropic") {
    return { type: "redacted_thinking", data: block.data };
  }
  return { type: "thinking", thinking: block.text, signature: block.signature ?? "" };
}

function toDocument(block: FileBlock, where: string): Json {
  const title = block.name === undefined ? {} : { title: block.name };
  if (block.text !== undefined) {
    return {
      type: "document",
      source: { type: "text", media_type: "text/plain", data: block.text },
      ...title,
    };
  }
  return { type: "document", source: sourceOf(block.mimeType, block, where, block), ...title };
}

function sourceOf(
  mimeType: string,
  { data, url }: { readonly data?: string; readonly url?: string },
  where: string,
  block: Block,
): Json {
  if (data !== undefined) return { type: "base64", media_type: mimeType, data };
  return url === undefined ? refuseBlock("Claude Code", block, where) : { type: "url", url };
}
