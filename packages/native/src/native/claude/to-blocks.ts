/** Converts blocks of the model to blocks of the Messages API, in the form of Claude Code's lines. Pure. */

import type { Block, FileBlock, ImageBlock, ThinkingBlock, ToolResultBlock } from "@continuo/core/model";
import type { Json } from "@continuo/files";
import { refuseBlock } from "../writing/index.ts";

type Refuse = (block: Block) => never;

/** Calls `refuse` for a block that the API does not accept there. */
export function toNativeContent(content: readonly Block[], refuse: Refuse): Json[] {
  return content.map((block) => toNative(block, refuse));
}

/** Refuses a block that a session cannot have there. Errors: `invalid`. */
export function refuseIn(where: string): Refuse {
  return (block) => refuseBlock("Claude Code", block, where);
}

function toNative(block: Block, refuse: Refuse): Json {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "image":
      return { type: "image", source: sourceOf(block, refuse) };
    case "file":
      return toDocument(block, refuse);
    case "thinking":
      return toThinking(block, refuse);
    case "tool_call":
      return { type: "tool_use", id: block.id, name: block.name, input: block.args };
    case "tool_result":
    case "unknown":
      return refuse(block);
  }
}

export function toNativeResult(block: ToolResultBlock): Json {
  const [only] = block.content;
  const isText = block.content.length === 1 && only?.type === "text";
  return {
    tool_use_id: block.toolCallId,
    type: "tool_result",
    content: isText ? only.text : toNativeContent(block.content, refuseIn("a tool result")),
    ...(block.isError ? { is_error: true } : {}),
  };
}

/**
 * The API accepts no thinking without a signature. It also refuses an empty signature, and Claude Code then leaves the
 * thinking out. The sealed thinking of another vendor has the same form as its own.
 */
function toThinking(block: ThinkingBlock, refuse: Refuse): Json {
  const isSealed = (block.signature ?? block.data ?? "") !== "";
  if (isSealed && block.signedBy !== undefined && block.signedBy !== "anthropic") return refuse(block);
  if (block.redacted === true && block.data !== undefined && block.signedBy === "anthropic") {
    return { type: "redacted_thinking", data: block.data };
  }
  return { type: "thinking", thinking: block.text, signature: block.signature ?? "" };
}

function toDocument(block: FileBlock, refuse: Refuse): Json {
  const title = block.name === undefined ? {} : { title: block.name };
  if (block.text !== undefined) {
    return {
      type: "document",
      source: { type: "text", media_type: "text/plain", data: block.text },
      ...title,
    };
  }
  return { type: "document", source: sourceOf(block, refuse), ...title };
}

function sourceOf(block: FileBlock | ImageBlock, refuse: Refuse): Json {
  const { mimeType, data, url } = block;
  if (data !== undefined) return { type: "base64", media_type: mimeType, data };
  return url === undefined ? refuse(block) : { type: "url", url };
}
