/** Messages for Anthropic's Messages API: two roles that alternate, the user first. Pure. */

import { assertKnownOptions, type Block, type Message } from "../../model/index.ts";
import { PROMPT_BEFORE_ANSWER } from "../context/index.ts";
import { type CallWords, createCallWords, FORM_OPTIONS, type FormOptions, formTools } from "./calls.ts";
import { leave, type OmittedCounts, turnsOf } from "./omitted-blocks.ts";

const RULES = { id: /^[\w-]+$/u, longestName: 128 };
/** The pictures that the service reads. */
const MEDIA_TYPES = ["image/jpeg", "image/png", "image/gif", "image/webp"] as const;

export type AnthropicPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly source: AnthropicSource };

export type AnthropicBlock =
  | AnthropicPart
  | { readonly type: "thinking"; readonly thinking: string; readonly signature: string }
  | { readonly type: "redacted_thinking"; readonly data: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: unknown }
  | {
      readonly type: "tool_result";
      readonly tool_use_id: string;
      readonly content: AnthropicPart[];
      readonly is_error?: true;
    };

export type AnthropicSource =
  | { readonly type: "base64"; readonly media_type: (typeof MEDIA_TYPES)[number]; readonly data: string }
  | { readonly type: "url"; readonly url: string };

export interface AnthropicMessage {
  readonly role: "user" | "assistant";
  readonly content: AnthropicBlock[];
}

export interface AnthropicTool {
  readonly name: string;
  readonly description?: string;
  readonly input_schema: { type: "object"; [key: string]: unknown };
}

export interface AnthropicMessages {
  /** Left out without definitions. */
  readonly tools?: AnthropicTool[];
  /** The system messages; left out if there are none. */
  readonly system?: string;
  /**
   * The caller may change this list. It is not readonly, because Anthropic's client does not accept a readonly list.
   */
  readonly messages: AnthropicMessage[];
  /** Blocks that these messages cannot hold: their kind and number; `notification` counts notices to the person. */
  readonly leftOut: Readonly<Record<string, number>>;
}

export function toAnthropicMessages(
  messages: readonly Message[],
  options: FormOptions = {},
): AnthropicMessages {
  assertKnownOptions("toAnthropicMessages", options, FORM_OPTIONS);
  const leftOut: OmittedCounts = {};
  const system: string[] = [];
  const made: AnthropicMessage[] = [];
  const words = createCallWords(RULES);
  for (const message of turnsOf(messages, leftOut)) {
    if (message.role === "system") {
      system.push(
        ...message.content.flatMap((block) => (block.type === "text" ? [block.text] : leave(block, leftOut))),
      );
      continue;
    }
    const role = message.role === "assistant" ? "assistant" : "user";
    const content = message.content.flatMap((block) => blockOf(block, words, leftOut));
    if (content.length === 0) continue;
    const last = made.at(-1);
    if (last?.role === role) made[made.length - 1] = { role, content: [...last.content, ...content] };
    else made.push({ role, content });
  }
  if (made[0]?.role === "assistant") {
    made.unshift({ role: "user", content: [{ type: "text", text: PROMPT_BEFORE_ANSWER }] });
  }
  const tools = formTools(options, words).map(
    ({ schema, ...tool }): AnthropicTool => ({ ...tool, input_schema: schema }),
  );
  return {
    ...(tools.length === 0 ? {} : { tools }),
    ...(system.length === 0 ? {} : { system: system.join("\n\n") }),
    messages: made,
    leftOut,
  };
}

function blockOf(block: Block, words: CallWords, leftOut: OmittedCounts): AnthropicBlock[] {
  switch (block.type) {
    case "thinking":
      // The service refuses thinking that another provider signed, or that has no signature.
      if (block.signedBy !== "anthropic") return leave(block, leftOut);
      if (block.signature !== undefined) {
        return [{ type: "thinking", thinking: block.text, signature: block.signature }];
      }
      return block.data === undefined
        ? leave(block, leftOut)
        : [{ type: "redacted_thinking", data: block.data }];
    case "tool_call":
      return [{ type: "tool_use", id: words.id(block.id), name: words.name(block.name), input: block.args }];
    case "tool_result": {
      const content = block.content.flatMap((part) => partOf(part, leftOut));
      const result = { type: "tool_result", tool_use_id: words.id(block.toolCallId), content } as const;
      return [block.isError ? { ...result, is_error: true } : result];
    }
    default:
      return partOf(block, leftOut);
  }
}

/** The service refuses blank text and pictures of other types. */
function partOf(block: Block, leftOut: OmittedCounts): AnthropicPart[] {
  if (block.type === "text" || (block.type === "file" && block.text !== undefined)) {
    const text = block.text ?? "";
    return text.trim() === "" ? [] : [{ type: "text", text }];
  }
  if (block.type !== "image") return leave(block, leftOut);
  if (block.data !== undefined) {
    const media_type = MEDIA_TYPES.find((one) => one === block.mimeType);
    if (media_type === undefined) return leave(block, leftOut);
    return [{ type: "image", source: { type: "base64", media_type, data: block.data } }];
  }
  return block.url === undefined
    ? leave(block, leftOut)
    : [{ type: "image", source: { type: "url", url: block.url } }];
}
