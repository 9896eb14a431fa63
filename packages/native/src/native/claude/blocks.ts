/**
 * Converts blocks of the Messages API, in the form of Claude Code's lines, to blocks of the model. Nothing is lost: if
 * a block has more content than the model can represent, its original is in `native`.
 */

import type { Block } from "@continuo/core/model";
import { isJson, type Json, textField, textOfValue } from "@continuo/files";
import { isToolResult } from "./records.ts";

export interface BlockOptions {
  /** Sub-agents by the id of the call that started them. */
  readonly children: ReadonlyMap<string, string>;
}

export function toBlocks(content: readonly unknown[], options: BlockOptions): Block[] {
  return content.map((block) => toBlock(block, options));
}

export function toBlock(raw: unknown, options: BlockOptions): Block {
  if (!isJson(raw)) return { type: "unknown", raw };
  switch (raw.type) {
    case "text":
      return typeof raw.text === "string"
        ? withNative({ type: "text", text: raw.text }, raw, ["text"])
        : { type: "unknown", raw };
    case "thinking":
      return toThinking(raw);
    case "redacted_thinking":
      if (typeof raw.data !== "string") return { type: "unknown", raw };
      return withNative(
        { type: "thinking", text: "", redacted: true, data: raw.data, signedBy: "anthropic" },
        raw,
        ["data"],
      );
    case "tool_use":
    case "server_tool_use":
    case "mcp_tool_use":
      return toToolCall(raw, options);
    case "image":
      return toImage(raw);
    case "document":
      return toFile(raw);
    default:
      return isVendorResult(raw) ? toToolResult(raw, options) : { type: "unknown", raw };
  }
}

/** A result block; its call's structured copy and status are on the line and are added by the caller. */
export function toToolResult(raw: Json, options: BlockOptions): Block & { type: "tool_result" } {
  const { content } = raw;
  const blocks: Block[] =
    typeof content === "string"
      ? [{ type: "text", text: content }]
      : Array.isArray(content)
        ? toBlocks(content, options)
        : content === undefined
          ? []
          : [{ type: "unknown", raw: content }];
  const block = {
    type: "tool_result",
    toolCallId: textField(raw, "tool_use_id") ?? "",
    content: blocks,
    isError: raw.is_error === true,
  } as const;
  const told = raw.is_error === undefined || typeof raw.is_error === "boolean" ? ["is_error"] : [];
  return withNative(block, raw, ["tool_use_id", "content", ...told], raw.type !== "tool_result");
}

/** The results of the vendor's own tools are in the answer itself: `web_search_tool_result` and the like. */
function isVendorResult(raw: Json): boolean {
  return (
    isToolResult(raw) || (/_tool_result$/u.test(textOfValue(raw.type)) && typeof raw.tool_use_id === "string")
  );
}

function toThinking(raw: Json): Block {
  if (typeof raw.thinking !== "string") return { type: "unknown", raw };
  if (typeof raw.signature !== "string")
    return withNative({ type: "thinking", text: raw.thinking }, raw, ["thinking"]);
  const signedBy = raw.signature === "" ? {} : { signedBy: "anthropic" };
  const block = { type: "thinking", text: raw.thinking, signature: raw.signature, ...signedBy } as const;
  return withNative(block, raw, ["thinking", "signature"]);
}

function toToolCall(raw: Json, options: BlockOptions): Block {
  if (typeof raw.id !== "string") return { type: "unknown", raw };
  const child = options.children.get(raw.id);
  const isObject = isJson(raw.input);
  const block: Block = {
    type: "tool_call",
    id: raw.id,
    name: typeof raw.name === "string" ? raw.name : "",
    args: isJson(raw.input) ? raw.input : {},
    ...(isObject ? {} : { rawArgs: rawArgsOf(raw.input) }),
    ...(raw.type === "tool_use" ? {} : { ranBy: "model" as const }),
    ...(child === undefined ? {} : { childSessionId: child }),
  };
  const whole = isObject && typeof raw.name === "string" && raw.type === "tool_use";
  return withNative(block, raw, ["id", "name", "input"], !whole);
}

function rawArgsOf(input: unknown): string {
  return typeof input === "string" ? input : (JSON.stringify(input) ?? "");
}

function toImage(raw: Json): Block {
  const source = isJson(raw.source) ? raw.source : {};
  const isPlain = hasOnly(raw, ["type", "source"]);
  if (source.type === "base64" && typeof source.data === "string" && typeof source.media_type === "string") {
    const block = { type: "image", mimeType: source.media_type, data: source.data } as const;
    return isPlain && hasOnly(source, ["type", "data", "media_type"]) ? block : { ...block, native: raw };
  }
  if (source.type === "url" && typeof source.url === "string") {
    const block = { type: "image", mimeType: "image/*", url: source.url } as const;
    return isPlain && hasOnly(source, ["type", "url"]) ? block : { ...block, native: raw };
  }
  return { type: "unknown", raw };
}

function toFile(raw: Json): Block {
  const source = isJson(raw.source) ? raw.source : {};
  const name = typeof raw.title === "string" ? { name: raw.title } : {};
  const mimeType = textField(source, "media_type") ?? "application/octet-stream";
  const data = textField(source, "data");
  const url = textField(source, "url");
  if (source.type === "text" && data !== null)
    return { type: "file", mimeType, ...name, text: data, native: raw };
  if (source.type === "base64" && data !== null)
    return { type: "file", mimeType, ...name, data, native: raw };
  if (source.type === "url" && url !== null) return { type: "file", mimeType, ...name, url, native: raw };
  return { type: "unknown", raw };
}

function withNative<T extends Block>(block: T, raw: Json, told: readonly string[], force?: boolean): T {
  if (force !== true && hasOnly(raw, ["type", ...told])) return block;
  return { ...block, native: raw };
}

function hasOnly(raw: Json, keys: readonly string[]): boolean {
  return Object.keys(raw).every((key) => keys.includes(key));
}
