/** Messages for OpenAI's Chat Completions, and for the many servers that speak it. Pure. */

import type { Block, Message } from "../../model/index.ts";
import { toModelOrder } from "../context/index.ts";
import { addressOf, type LeftOut, leave, resultText } from "./left-out.ts";

export type OpenAIPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image_url"; readonly image_url: { readonly url: string } };

export interface OpenAICall {
  readonly id: string;
  readonly type: "function";
  /** `arguments` is JSON text. */
  readonly function: { readonly name: string; readonly arguments: string };
}

export type OpenAIMessage =
  | { readonly role: "system"; readonly content: string }
  | { readonly role: "user"; readonly content: string | readonly OpenAIPart[] }
  | {
      readonly role: "assistant";
      readonly content: string | null;
      readonly tool_calls?: readonly OpenAICall[];
    }
  | { readonly role: "tool"; readonly tool_call_id: string; readonly content: string };

export interface OpenAIMessages {
  readonly messages: readonly OpenAIMessage[];
  /** Blocks that these messages cannot hold: their kind and number. */
  readonly leftOut: Readonly<Record<string, number>>;
}

export function toOpenAIMessages(messages: readonly Message[]): OpenAIMessages {
  const leftOut: LeftOut = {};
  const made = toModelOrder(messages).flatMap((message) => messagesOf(message, leftOut));
  return { messages: made, leftOut };
}

function messagesOf(message: Message, leftOut: LeftOut): readonly OpenAIMessage[] {
  if (message.role === "user") return userMessage(message, leftOut);
  if (message.role === "assistant") return assistantMessage(message, leftOut);
  if (message.role === "system") {
    const content = resultText(message.content, leftOut);
    return content === "" ? [] : [{ role: "system", content }];
  }
  return message.content.flatMap((block): readonly OpenAIMessage[] =>
    block.type === "tool_result"
      ? [{ role: "tool", tool_call_id: block.toolCallId, content: resultText(block.content, leftOut) }]
      : leave(block, leftOut),
  );
}

function userMessage({ content }: Message, leftOut: LeftOut): readonly OpenAIMessage[] {
  const parts = content.flatMap((block): readonly OpenAIPart[] => {
    if (block.type === "text") return block.text === "" ? [] : [{ type: "text", text: block.text }];
    if (block.type === "file" && block.text !== undefined) return [{ type: "text", text: block.text }];
    const url = block.type === "image" ? addressOf(block) : null;
    return url === null ? leave(block, leftOut) : [{ type: "image_url", image_url: { url } }];
  });
  const [only] = parts;
  if (only === undefined) return [];
  return [{ role: "user", content: parts.length === 1 && only.type === "text" ? only.text : parts }];
}

function assistantMessage({ content }: Message, leftOut: LeftOut): readonly OpenAIMessage[] {
  const calls: OpenAICall[] = [];
  const texts = content.flatMap((block: Block): readonly string[] => {
    if (block.type === "text") return block.text === "" ? [] : [block.text];
    if (block.type !== "tool_call") return leave(block, leftOut);
    const { id, name, args } = block;
    calls.push({ id, type: "function", function: { name, arguments: JSON.stringify(args) } });
    return [];
  });
  if (texts.length === 0 && calls.length === 0) return [];
  const text = texts.length === 0 ? null : texts.join("\n");
  return [{ role: "assistant", content: text, ...(calls.length === 0 ? {} : { tool_calls: calls }) }];
}
