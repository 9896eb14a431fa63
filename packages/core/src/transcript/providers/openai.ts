/** Messages for OpenAI's Chat Completions, and for the many servers that speak it. Pure. */

import { assertKnownOptions, type Block, type Message } from "../../model/index.ts";
import { type CallWords, createCallWords, FORM_OPTIONS, type FormOptions, formTools } from "./calls.ts";
import { addressOf, leave, type OmittedCounts, resultText, turnsOf } from "./omitted-blocks.ts";

/** The service refuses longer ids and names. */
const RULES = { id: /^.{1,40}$/u, longestName: 64 };

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
  | { readonly role: "user"; readonly content: string | OpenAIPart[] }
  | {
      readonly role: "assistant";
      readonly content: string | null;
      readonly tool_calls?: OpenAICall[];
    }
  | { readonly role: "tool"; readonly tool_call_id: string; readonly content: string };

export interface OpenAITool {
  readonly type: "function";
  readonly function: {
    readonly name: string;
    readonly description?: string;
    /** A JSON Schema. The type is open, because the client of OpenAI does not accept a readonly object. */
    readonly parameters: Record<string, unknown>;
  };
}

export interface OpenAIMessages {
  /** Left out without definitions. */
  readonly tools?: OpenAITool[];
  /** The list is yours: the client of OpenAI does not accept a readonly one. */
  readonly messages: OpenAIMessage[];
  /** Blocks that these messages cannot hold: their kind and number; `notification` counts notices to the person. */
  readonly leftOut: Readonly<Record<string, number>>;
}

export function toOpenAIMessages(messages: readonly Message[], options: FormOptions = {}): OpenAIMessages {
  assertKnownOptions("toOpenAIMessages", options, FORM_OPTIONS);
  const leftOut: OmittedCounts = {};
  const words = createCallWords(RULES);
  const made = turnsOf(messages, leftOut).flatMap((message) => messagesOf(message, words, leftOut));
  const tools = formTools(options, words).map(
    ({ schema, ...tool }): OpenAITool => ({ type: "function", function: { ...tool, parameters: schema } }),
  );
  return { ...(tools.length === 0 ? {} : { tools }), messages: made, leftOut };
}

function messagesOf(message: Message, words: CallWords, leftOut: OmittedCounts): readonly OpenAIMessage[] {
  if (message.role === "user") return userMessage(message, leftOut);
  if (message.role === "assistant") return assistantMessage(message, words, leftOut);
  if (message.role === "system") {
    const texts = message.content.flatMap((block) =>
      block.type === "text" ? [block.text] : leave(block, leftOut),
    );
    const content = texts.join("\n\n");
    return content === "" ? [] : [{ role: "system", content }];
  }
  return message.content.flatMap((block): readonly OpenAIMessage[] => {
    if (block.type !== "tool_result") return leave(block, leftOut);
    const tool_call_id = words.id(block.toolCallId);
    return [{ role: "tool", tool_call_id, content: resultText(block.content, leftOut) }];
  });
}

function userMessage({ content }: Message, leftOut: OmittedCounts): readonly OpenAIMessage[] {
  const parts = content.flatMap((block): readonly OpenAIPart[] => {
    if (block.type === "text" || (block.type === "file" && block.text !== undefined)) {
      const text = block.text ?? "";
      return text === "" ? [] : [{ type: "text", text }];
    }
    const url = block.type === "image" ? addressOf(block) : null;
    return url === null ? leave(block, leftOut) : [{ type: "image_url", image_url: { url } }];
  });
  const [only] = parts;
  if (only === undefined) return [];
  return [{ role: "user", content: parts.length === 1 && only.type === "text" ? only.text : parts }];
}

function assistantMessage(
  { content }: Message,
  words: CallWords,
  leftOut: OmittedCounts,
): readonly OpenAIMessage[] {
  const calls: OpenAICall[] = [];
  const texts = content.flatMap((block: Block): readonly string[] => {
    if (block.type === "text") return block.text === "" ? [] : [block.text];
    if (block.type !== "tool_call") return leave(block, leftOut);
    const called = { name: words.name(block.name), arguments: JSON.stringify(block.args) };
    calls.push({ id: words.id(block.id), type: "function", function: called });
    return [];
  });
  if (texts.length === 0 && calls.length === 0) return [];
  const text = texts.length === 0 ? null : texts.join("\n\n");
  return [{ role: "assistant", content: text, ...(calls.length === 0 ? {} : { tool_calls: calls }) }];
}
