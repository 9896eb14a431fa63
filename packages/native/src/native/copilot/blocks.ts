/**
 * Turns the parts that Copilot keeps of a prompt, an answer and a result (seen in 1.0.102) into blocks of the model.
 * Nothing is lost: if a block has more content than the model can represent, its original is in `native`. Pure.
 */

import type { Block, ToolCallBlock } from "@continuo/core/model";
import { hasOnly, isJson, type Json, optional, textField } from "@continuo/files";
import { attachmentsOf, binariesOf, filledField, requestsOf } from "./records.ts";

/** Returns the asset, which has its own record; `undefined` if that record is lost. */
export type FindAsset = (id: string) => Json | undefined;

/** Returns the text of a prompt, and then its files. */
export function toPrompt(data: Json, assetOf: FindAsset): Block[] {
  const text = textField(data, "content") ?? "";
  const files = attachmentsOf(data).map((one) => toFile(one, assetOf));
  return text === "" && files.length > 0 ? files : [{ type: "text", text }, ...files];
}

/** A picture, or another file, of a prompt or a result. */
function toFile(raw: unknown, assetOf: FindAsset): Block {
  if (!isJson(raw)) return { type: "unknown", raw };
  const mimeType = filledField(raw, "mimeType");
  const id = filledField(raw, "assetId");
  const own = filledField(raw, "data");
  const data = own ?? (id === null ? null : filledField(assetOf(id) ?? {}, "data"));
  const name = filledField(raw, "displayName");
  const native = hasOnly(raw, ["type", "data", "mimeType"]) ? {} : { native: raw };
  if (mimeType !== null && data !== null) {
    return mimeType.startsWith("image/")
      ? { type: "image", mimeType, data, ...native }
      : { type: "file", mimeType, data, ...optional("name", name), ...native };
  }
  const path = filledField(raw, "path");
  if (path === null || raw.type !== "file") return { type: "unknown", raw };
  const url = `file://${encodeURI(path)}`;
  return { type: "file", mimeType: mimeType ?? "text/plain", url, ...optional("name", name), native: raw };
}

/** The order is that of the model: thinking, the text, and then the calls. */
export function toAnswer(data: Json): Block[] {
  const text = textField(data, "content") ?? "";
  const calls = requestsOf(data).map(toToolCall);
  const said: Block[] = text === "" ? [] : [{ type: "text", text }];
  const odd = Array.isArray(data.toolRequests) ? data.toolRequests.filter((one) => !isJson(one)) : [];
  return [...toThinking(data), ...said, ...calls, ...odd.map((raw): Block => ({ type: "unknown", raw }))];
}

/** The vendor's own blocks if the record has them, or else the text and the encrypted data. */
function toThinking(data: Json): Block[] {
  const { reasoningBlocks } = data;
  const blocks =
    isJson(reasoningBlocks) && Array.isArray(reasoningBlocks.blocks) ? reasoningBlocks.blocks : null;
  if (blocks !== null && isJson(reasoningBlocks)) {
    const signedBy = reasoningBlocks.provider === "anthropic-messages" ? "anthropic" : null;
    return blocks.map((block) => toSigned(block, signedBy));
  }
  const text = filledField(data, "reasoningText");
  const opaque = filledField(data, "encryptedContent") ?? filledField(data, "reasoningOpaque");
  if (text === null && opaque === null) return [];
  return [{ type: "thinking", text: text ?? "", ...optional("signature", opaque) }];
}

function toSigned(raw: unknown, signedBy: string | null): Block {
  if (!isJson(raw)) return { type: "unknown", raw };
  if (raw.type === "thinking" && typeof raw.thinking === "string") {
    const signature = filledField(raw, "signature");
    const native = hasOnly(raw, ["type", "thinking", "signature"]) ? {} : { native: raw };
    return {
      type: "thinking",
      text: raw.thinking,
      ...optional("signature", signature),
      ...optional("signedBy", signedBy),
      ...native,
    };
  }
  if (raw.type === "redacted_thinking" && typeof raw.data === "string") {
    return {
      type: "thinking",
      text: "",
      redacted: true,
      data: raw.data,
      ...optional("signedBy", signedBy),
      ...(hasOnly(raw, ["type", "data"]) ? {} : { native: raw }),
    };
  }
  return { type: "unknown", raw };
}

/** The input of a call of the type `custom` is a text. */
function toToolCall(raw: Json): ToolCallBlock {
  const { arguments: args } = raw;
  const rawArgs = typeof args === "string" ? args : (JSON.stringify(args) ?? "");
  return {
    type: "tool_call",
    id: filledField(raw, "toolCallId") ?? "",
    name: textField(raw, "name") ?? "",
    args: isJson(args) ? args : {},
    ...(isJson(args) || args === undefined ? {} : { rawArgs }),
    ...(hasOnly(raw, ["toolCallId", "name", "arguments"]) || isPlainCall(raw) ? {} : { native: raw }),
  };
}

function isPlainCall(raw: Json): boolean {
  return raw.type === "function" && hasOnly(raw, ["toolCallId", "name", "arguments", "type"]);
}

/** The model receives the text of a result first, and then its pictures and files. */
export function toResult(data: Json, assetOf: FindAsset): Block[] {
  const result = isJson(data.result) ? data.result : {};
  const error = isJson(data.error) ? data.error : {};
  const text =
    data.success === false
      ? (textField(error, "message") ?? textField(result, "content"))
      : textField(result, "content");
  return [{ type: "text", text: text ?? "" }, ...binariesOf(data).map((one) => toFile(one, assetOf))];
}
