/**
 * Converts parts of the Gemini API, as they are in Gemini CLI's records, to blocks of the model. Nothing is lost: if a
 * part has more content than the model can represent, its original is in `native`.
 */

import type { Block, ToolResultBlock } from "@continuo/core/model";
import { hasOnly, isJson, type Json, textField } from "@continuo/files";
import { type CallRecord, isResponse, type ResultRecord } from "./records.ts";

/** Sub-agents by the id of the call that started them. */
export type Children = ReadonlyMap<string, string>;

export function toBlock(part: unknown): Block {
  if (typeof part === "string") return { type: "text", text: part };
  if (!isJson(part)) return { type: "unknown", raw: part };
  if (isJson(part.inlineData)) return toMedia(part, part.inlineData, "data");
  if (isJson(part.fileData)) return toMedia(part, part.fileData, "fileUri");
  if (isTextPart(part)) return toText(part);
  return { type: "unknown", raw: part };
}

const TEXT_KEYS = ["text", "thought", "thoughtSignature"];

function isTextPart(part: Json): part is Json & { text: string } {
  const others = Object.keys(part).filter((key) => !TEXT_KEYS.includes(key));
  return typeof part.text === "string" && others.every((key) => typeof part[key] !== "object");
}

function toText(part: Json & { text: string }): Block {
  const signature = textField(part, "thoughtSignature");
  const block: Block =
    part.thought === true
      ? {
          type: "thinking",
          text: part.text,
          ...(signature === null ? {} : { signature, signedBy: "google" }),
        }
      : { type: "text", text: part.text, ...(signature === null ? {} : { signature }) };
  const isPlain = part.thought === undefined || part.thought === true;
  return isPlain && hasOnly(part, TEXT_KEYS) ? block : { ...block, native: part };
}

function toMedia(part: Json, media: Json, key: "data" | "fileUri"): Block {
  const value = textField(media, key);
  const mimeType = textField(media, "mimeType");
  if (value === null || mimeType === null) return { type: "unknown", raw: part };
  const name = textField(media, "displayName");
  const isImage = mimeType.startsWith("image/");
  const place = key === "data" ? { data: value } : { url: value };
  const block: Block = isImage
    ? { type: "image", mimeType, ...place }
    : { type: "file", mimeType, ...(name === null ? {} : { name }), ...place };
  const known = isImage ? [key, "mimeType"] : [key, "mimeType", "displayName"];
  const isPlain = hasOnly(part, ["inlineData", "fileData"]) && Object.keys(part).length === 1;
  return isPlain && hasOnly(media, known) ? block : { ...block, native: part };
}

export function toCallBlock(call: CallRecord, children: Children): Block {
  const { id, name, args, part, record } = call;
  const child = (record === null ? null : textField(record, "agentId")) ?? children.get(id);
  const signature = part === null ? null : textField(part, "thoughtSignature");
  const known = part === null || (hasOnly(part, ["functionCall", "thoughtSignature"]) && isKnownCall(part));
  return {
    type: "tool_call",
    id,
    name,
    args: isJson(args) ? args : {},
    ...(isJson(args) || args === undefined ? {} : { rawArgs: JSON.stringify(args) }),
    ...(signature === null ? {} : { signature }),
    ...(child === undefined ? {} : { childSessionId: child }),
    ...(known ? {} : { native: part }),
  };
}

function isKnownCall(part: Json): boolean {
  return isJson(part.functionCall) && hasOnly(part.functionCall, ["id", "name", "args"]);
}

/** @param call record in `toolCalls`, for its status and its shown result; `null` if it is not known. */
export function toResultBlock(result: ResultRecord, call: Json | null): ToolResultBlock {
  const response = result.response;
  const error = isJson(response) ? response.error : undefined;
  const status = call === null ? null : textField(call, "status");
  const isError = status === "error" || status === "cancelled" || (status === null && error !== undefined);
  const { args: _args, result: _result, ...details } = call ?? {};
  const isPlain = isPlainResult(result);
  return {
    type: "tool_result",
    toolCallId: result.callId,
    content: [...responseBlocks(response), ...result.parts.slice(1).map(toBlock)],
    isError,
    status: status === "cancelled" ? "cancelled" : isError ? "error" : "ok",
    ...(call === null ? {} : { details }),
    ...(isPlain ? {} : { native: result.parts }),
  };
}

function responseBlocks(response: unknown): Block[] {
  if (!isJson(response)) return response === undefined ? [] : [{ type: "unknown", raw: response }];
  for (const key of ["output", "error"]) {
    const text = response[key];
    if (typeof text === "string" && Object.keys(response).length === 1) return [{ type: "text", text }];
  }
  return [{ type: "text", text: JSON.stringify(response) }];
}

/** Returns true if the blocks have all the content of the parts. */
function isPlainResult({ parts, response }: ResultRecord): boolean {
  const first = parts[0];
  if (typeof first === "string") return true;
  if (!isResponse(first) || !hasOnly(first, ["functionResponse"])) return false;
  if (!hasOnly(first.functionResponse, ["id", "name", "response"])) return false;
  if (!isJson(response)) return response === undefined;
  return (
    Object.keys(response).length === 1 &&
    (typeof response.output === "string" || typeof response.error === "string")
  );
}
