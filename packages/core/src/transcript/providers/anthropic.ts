/** Messages for Anthropic's Messages API: two roles that alternate, the user first. Pure. */

import type { Block, Message } from "../../model/index.ts";
import { PROMPT_BEFORE_ANSWER, toModelOrder } from "../context/index.ts";
import { type LeftOut, leave } from "./left-out.ts";

export type AnthropicBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly source: AnthropicSource }
  | { readonly type: "thinking"; readonly thinking: string; readonly signature: string }
  | { readonly type: "redacted_thinking"; readonly data: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: unknown }
  | {
      readonly type: "tool_result";
      readonly tool_use_id: string;
      readonly content: readonly AnthropicBlock[];
      readonly is_error?: true;
    };

export type AnthropicSource =
  | { readonly type: "base64"; readonly media_type: string; readonly data: string }
  | { readonly type: "url"; readonly url: string };

export interface AnthropicMessage {
  readonly role: "user" | "assistant";
  readonly content: readonly AnthropicBlock[];
}

export interface AnthropicMessages {
  /** The system messages; left out if there are none. */
  readonly system?: string;
  readonly messages: readonly AnthropicMessage[];
  /** Blocks that these messages cannot hold: their kind and number. */
  readonly leftOut: Readonly<Record<string, number>>;
}

export function toAnthropicMessages(messages: readonly Message[]): AnthropicMessages {
  const leftOut: LeftOut = {};
  const system: string[] = [];
  const made: AnthropicMessage[] = [];
  for (const message of toModelOrder(messages)) {
    if (message.role === "system") {
      system.push(
        ...message.content.flatMap((block) => (block.type === "text" ? [block.text] : leave(block, leftOut))),
      );
      continue;
    }
    const role = message.role === "assistant" ? "assistant" : "user";
    const content = message.content.flatMap((block) => blockOf(block, leftOut));
    if (content.length === 0) continue;
    const last = made.at(-1);
    if (last?.role === role) made[made.length - 1] = { role, content: [...last.content, ...content] };
    else made.push({ role, content });
  }
  if (made[0]?.role === "assistant") {
    made.unshift({ role: "user", content: [{ type: "text", text: PROMPT_BEFORE_ANSWER }] });
  }
  return { ...(system.length === 0 ? {} : { system: system.join("\n\n") }), messages: made, leftOut };
}

function blockOf(block: Block, leftOut: LeftOut): readonly AnthropicBlock[] {
  switch (block.type) {
    case "text":
      return block.text === "" ? [] : [{ type: "text", text: block.text }];
    case "thinking":
      // Thinking that another provider signed, or nobody, is refused.
      if (block.signedBy !== "anthropic") return leave(block, leftOut);
      if (block.signature !== undefined) {
        return [{ type: "thinking", thinking: block.text, signature: block.signature }];
      }
      return block.data === undefined
        ? leave(block, leftOut)
        : [{ type: "redacted_thinking", data: block.data }];
    case "tool_call":
      return [{ type: "tool_use", id: block.id, name: block.name, input: block.args }];
    case "tool_result": {
      const content = block.content.flatMap((part) => blockOf(part, leftOut));
      const result = { type: "tool_result", tool_use_id: block.toolCallId, content } as const;
      return [block.isError ? { ...result, is_error: true } : result];
    }
    case "image":
      if (block.data !== undefined) {
        return [{ type: "image", source: { type: "base64", media_type: block.mimeType, data: block.data } }];
      }
      return block.url === undefined
        ? leave(block, leftOut)
        : [{ type: "image", source: { type: "url", url: block.url } }];
    case "file":
      return block.text === undefined ? leave(block, leftOut) : [{ type: "text", text: block.text }];
    default:
      return leave(block, leftOut);
  }
}
