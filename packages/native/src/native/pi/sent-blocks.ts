/**
 * Blocks in the form in which pi sends them (1.5.2, seen by comparing with its requests and in its program): a damaged
 * block is left out, or is sent in the form in which JavaScript prints it. Pure.
 */

import type { Block, Message } from "@continuo/core/model";
import { isJson, textField } from "@continuo/files";
import { withContent } from "../kit/index.ts";

const COMPLETIONS = "openai-completions";

/** @param api of the model that continues. */
export function withFormsOf(api: string, message: Message): Message {
  switch (message.role) {
    case "assistant":
      return changed(message, (content) => toAnswer(content, api));
    case "user":
      return changed(message, (content) => content.flatMap((block) => toSaid(block, api)));
    case "tool":
      return withResult(message);
    case "system":
      return message;
  }
}

function changed(message: Message, change: (content: readonly Block[]) => readonly Block[]): Message {
  const content = change(message.content);
  const isSame =
    content.length === message.content.length && content.every((block, at) => block === message.content[at]);
  return isSame ? message : withContent(message, () => [...content]);
}

function toAnswer(content: readonly Block[], api: string): readonly Block[] {
  const isThought = api !== COMPLETIONS || isReplayed(content);
  return content.flatMap((block): Block[] => {
    if (block.type === "unknown" || (block.type === "thinking" && !isThought)) return [];
    if (block.type !== "tool_call" || block.rawArgs === undefined || api !== COMPLETIONS) return [block];
    const args = isJson(block.native) ? block.native.arguments : block.rawArgs;
    return [{ ...block, rawArgs: JSON.stringify(args) ?? "" }];
  });
}

const FIELDS: ReadonlySet<unknown> = new Set(["reasoning", "reasoning_content", "reasoning_text"]);

/** True if thinking is sent: its signature names a field of the request, or is a list of the vendor's details. */
function isReplayed(content: readonly Block[]): boolean {
  const thought = content.find((block) => block.type === "thinking" && block.text.trim() !== "");
  if (thought?.type !== "thinking") return true;
  return FIELDS.has(thought.signature) || thought.signature?.startsWith("[") === true;
}

function toSaid(block: Block, api: string): Block[] {
  if (block.type !== "unknown") return [block];
  const { raw } = block;
  const isText = isJson(raw) && raw.type === "text";
  if (isText || api !== COMPLETIONS) return [];
  const { mimeType, data } = isJson(raw) ? raw : {};
  return [{ type: "image", mimeType: String(mimeType), data: String(data) }];
}

function withResult(message: Message): Message {
  const [result] = message.content;
  if (result?.type !== "tool_result" || result.content.every(({ type }) => type !== "unknown"))
    return message;
  const content = result.content.flatMap((block): Block[] => {
    if (block.type !== "unknown") return [block];
    if (!isJson(block.raw) || textField(block.raw, "type") !== "text") return [];
    const { text } = block.raw;
    return [{ type: "text", text: text === null || text === undefined ? "" : String(text) }];
  });
  return { ...message, content: [{ ...result, content }] };
}
