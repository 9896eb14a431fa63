/**
 * Converts parts of a message, as opencode keeps them, to blocks of the model. Nothing is lost: if a part has more
 * content than the model can represent, its original is in `native`, which also has the times when a part began and
 * ended.
 */

import type { Block, FileBlock, ImageBlock, ToolResultBlock, ToolStatus } from "@continuo/core/model";
import { hasOnly, isJson, type Json, textField } from "@continuo/files";
import { childOf, objectField, without } from "./records.ts";

/** Returns the block of a part; `null` for parts without content: marks of steps, snapshots, retries, … */
export function toBlock(part: Json): Block | null {
  switch (part.type) {
    case "text":
      return typeof part.text === "string"
        ? withNative({ type: "text", text: part.text }, part, ["text"])
        : { type: "unknown", raw: part };
    case "reasoning":
      return toThinking(part);
    case "tool":
      return toToolCall(part);
    case "file":
      return toFile(part);
    default:
      return isMark(part) ? null : { type: "unknown", raw: part };
  }
}

const MARKS: ReadonlySet<unknown> = new Set([
  "step-start",
  "step-finish",
  "snapshot",
  "patch",
  "agent",
  "retry",
]);

/** A part that is not content of a message; it is stored in the message's metadata. */
export function isMark(part: Json): boolean {
  return MARKS.has(part.type);
}

/** Returns true if a tool's part holds its result already. */
export function hasResult(part: Json): boolean {
  const { status } = objectField(part, "state");
  return status === "completed" || status === "error";
}

/** The result in a tool's part. `details` has the fields of the state that no other field of the result repeats. */
export function toToolResult(part: Json): ToolResultBlock {
  const state = objectField(part, "state");
  const isError = state.status === "error";
  const said = isError ? state.error : state.output;
  const files = Array.isArray(state.attachments) ? state.attachments : [];
  return {
    type: "tool_result",
    toolCallId: textField(part, "callID") ?? "",
    content: [
      ...(typeof said === "string" ? [{ type: "text", text: said } as const] : []),
      ...(said === undefined || typeof said === "string" ? [] : [{ type: "unknown", raw: said } as const]),
      ...files.map((file): Block => (isJson(file) ? toFile(file) : { type: "unknown", raw: file })),
    ],
    isError,
    status: statusOf(state),
    details: without(state, "input", "raw", "attachments", isError ? "error" : "output"),
  };
}

/** The text by which opencode itself distinguishes a refusal from a failure. */
const REFUSED = /rejected permission|user dismissed|specified a rule|QuestionRejectedError/u;

function statusOf(state: Json): ToolStatus {
  if (state.status !== "error") return "ok";
  if (objectField(state, "metadata").interrupted === true) return "interrupted";
  return REFUSED.test(textField(state, "error") ?? "") ? "denied" : "error";
}

function toToolCall(part: Json): Block {
  const id = textField(part, "callID");
  const name = textField(part, "tool");
  // A call in an unknown state is not sent to a model.
  if (id === null || name === null || !isJson(part.state) || typeof part.state.status !== "string") {
    return { type: "unknown", raw: part };
  }
  const { input, raw } = part.state;
  const child = childOf(part);
  const rawArgs = isJson(input) ? rawOf(raw) : typeof input === "string" ? input : JSON.stringify(input);
  const signature = signatureOf(part)?.signature;
  return {
    type: "tool_call",
    id,
    name,
    args: isJson(input) ? input : {},
    ...(rawArgs === undefined ? {} : { rawArgs }),
    ...(signature === undefined ? {} : { signature }),
    ...(objectField(part, "metadata").providerExecuted === true ? { ranBy: "model" as const } : {}),
    ...(child === null ? {} : { childSessionId: child }),
    ...(part.metadata === undefined ? {} : { native: part }),
  };
}

/** A call that was still being written has the text so far. */
function rawOf(raw: unknown): string | undefined {
  return typeof raw === "string" && raw !== "" ? raw : undefined;
}

function toThinking(part: Json): Block {
  if (typeof part.text !== "string") return { type: "unknown", raw: part };
  const signed = signatureOf(part);
  const hidden = textField(objectField(objectField(part, "metadata"), "anthropic"), "redactedData");
  return withNative(
    {
      type: "thinking",
      text: part.text,
      ...(signed ?? {}),
      ...(hidden === null ? {} : { redacted: true, data: hidden, signedBy: "anthropic" }),
    },
    part,
    ["text"],
  );
}

/** The names of the fields with a signature. Each vendor's fields are under the name of the vendor. */
export const SIGNATURE_KEYS = ["signature", "reasoningEncryptedContent", "thoughtSignature"] as const;

function signatureOf(part: Json): { readonly signature: string; readonly signedBy: string } | null {
  for (const [vendor, fields] of Object.entries(objectField(part, "metadata"))) {
    if (!isJson(fields)) continue;
    for (const key of SIGNATURE_KEYS) {
      const signature = textField(fields, key);
      if (signature !== null) return { signature, signedBy: vendor };
    }
  }
  return null;
}

const DATA_URL = /^data:[^,]*;base64,/u;

function toFile(part: Json): Block {
  const mimeType = textField(part, "mime");
  const url = textField(part, "url");
  if (mimeType === null || url === null) return { type: "unknown", raw: part };
  // Images of this kind are never sent to a model as images.
  const isImage = mimeType.startsWith("image/") && mimeType !== "image/svg+xml";
  const base64 = DATA_URL.exec(url.slice(0, MAX_URL_HEAD))?.[0];
  const content = base64 === undefined ? { url } : { data: url.slice(base64.length) };
  const name = textField(part, "filename");
  const block: ImageBlock | FileBlock = isImage
    ? { type: "image", mimeType, ...content }
    : { type: "file", mimeType, ...(name === null ? {} : { name }), ...content };
  const isWhole = base64 === undefined || base64 === `data:${mimeType};base64,`;
  const more = hasOnly(part, [
    "type",
    "id",
    "sessionID",
    "messageID",
    "mime",
    "url",
    ...(isImage ? [] : ["filename"]),
  ]);
  if (isWhole && more) return block;
  // The bytes are stored only once.
  return { ...block, native: base64 === undefined ? part : { ...part, url: base64 } };
}

/** No media type is longer; the rest of a data URL may be megabytes. */
const MAX_URL_HEAD = 256;

function withNative<T extends Block>(block: T, part: Json, told: readonly string[]): T {
  return hasOnly(part, ["type", "time", ...told]) ? block : { ...block, native: part };
}
