/** Converts messages to the lines of a rollout file: response items for the model, events for the interface. Pure. */

import type { Block, ThinkingBlock, ToolCallBlock, ToolResultBlock, Usage } from "@continuo/core/model";
import { textOf } from "@continuo/core/model";
import { isJson, type Json } from "@continuo/files";
import { type Makers, type NewMessage, refuseBlock } from "../writing/index.ts";
import { typedText } from "./text-authors.ts";

/** A line without its time and ordinal. */
export interface Line {
  readonly type: string;
  /** Some events name their thread and turn. */
  readonly payload: Json | ((threadId: string, turnId: string) => Json);
  /** Further keys of the line. */
  readonly more?: Json;
  /** Only in files of that kind of history; in both by default. */
  readonly shownIn?: "legacy" | "paginated";
}

export interface ItemLines {
  readonly lines: readonly Line[];
  /** The id by which the reader finds the message: that of its first item with one. */
  readonly id: string;
}

/**
 * Errors: `invalid`.
 *
 * @param customCalls the custom calls of the previous answer, whose outputs have a separate kind.
 */
export function toLinesOf(
  message: NewMessage,
  makers: Makers,
  customCalls: readonly string[] = [],
): ItemLines {
  const [first] = message.content;
  if (message.role === "user") return toPrompt(message.content, makers);
  if (message.role === "tool" && first?.type === "tool_result") {
    return toOutput(first, makers, customCalls.includes(first.toolCallId) ? "custom" : "function");
  }
  return toAnswer(message, makers);
}

function toPrompt(content: readonly Block[], makers: Makers): ItemLines {
  const id = `msg_${makers.uuid()}`;
  const item = {
    type: "message",
    id,
    role: "user",
    content: content.map((block) => toPart(block, "a prompt")),
  };
  // Codex does the same: its text around a picture is not shown.
  const text = typedText("response_item", item) ?? textOf(content);
  const images = content.flatMap((block) => (block.type === "image" ? [urlOf(block)] : []));
  const shown = { type: "user_message", message: text, images, local_images: [], text_elements: [] };
  return {
    id,
    lines: [
      itemLine(item),
      { type: "event_msg", payload: shown, shownIn: "legacy" },
      completedItem(makers, {
        type: "UserMessage",
        id: makers.uuid(),
        content: content.map((block) =>
          block.type === "image"
            ? { type: "image", image_url: urlOf(block) }
            : { type: "text", text: block.type === "text" ? block.text : "", text_elements: [] },
        ),
      }),
    ],
  };
}

function toAnswer({ content, usage }: NewMessage, makers: Makers): ItemLines {
  const hasIds = content.some((block) => block.type === "text" || block.type === "tool_call");
  let first: string | null = null;
  const named = (prefix: string): string => {
    const id = `${prefix}_${makers.hex(32)}`;
    first ??= id;
    return id;
  };
  const lines = content.flatMap((block): Line[] => {
    switch (block.type) {
      case "text":
        return saidLines(block.text, named("msg"), makers);
      case "thinking":
        // Thinking gets an id only if nothing else in the message has one, because the vendor looks up reasoning by its
        // id.
        return thoughtLines(block, hasIds ? {} : { id: named("rs") }, makers);
      case "tool_call":
        return [itemLine(toCallItem(block, named))];
      default:
        return refuseBlock("Codex", block, "an answer");
    }
  });
  const counted = usage === undefined ? [] : [usageLine(usage, makers)];
  return { lines: [...lines, ...counted], id: first ?? "" };
}

/**
 * A call that Codex itself wrote keeps its kind and the namespace of its tool; calls of other agents become functions.
 */
function toCallItem(block: ToolCallBlock, named: (prefix: string) => string): Json {
  const { id, name, args, rawArgs = JSON.stringify(args) } = block;
  const type = typeOfCall(block) ?? "function_call";
  const space = typeOfCall(block) !== null && isJson(block.native) ? block.native.namespace : undefined;
  const isCustom = type === "custom_tool_call";
  return {
    type,
    id: named(isCustom ? "ctc" : "fc"),
    ...(typeof space === "string" ? inNamespace(name, space) : { name }),
    ...(isCustom ? { input: rawArgs } : { arguments: rawArgs }),
    call_id: id,
    status: "completed",
  };
}

function inNamespace(name: string, namespace: string): Json {
  const prefix = `${namespace}__`;
  return { name: name.startsWith(prefix) ? name.slice(prefix.length) : name, namespace };
}

function typeOfCall({ native, rawArgs }: ToolCallBlock): "function_call" | "custom_tool_call" | null {
  if (!isJson(native) || rawArgs === undefined) return null;
  return native.type === "function_call" || native.type === "custom_tool_call" ? native.type : null;
}

/** Ids of calls whose input is text, as Codex writes it for some of its tools. */
export function customCallsIn(content: readonly Block[]): string[] {
  return content.flatMap((block) =>
    block.type === "tool_call" && typeOfCall(block) === "custom_tool_call" ? [block.id] : [],
  );
}

function saidLines(text: string, id: string, makers: Makers): Line[] {
  const shown = { type: "agent_message", message: text, phase: null, memory_citation: null };
  const content = [{ type: "output_text", text, annotations: [] }];
  return [
    { type: "event_msg", payload: shown, shownIn: "legacy" },
    completedItem(makers, { type: "AgentMessage", id, content: [{ type: "Text", text }] }),
    itemLine({ type: "message", status: "completed", id, role: "assistant", content }),
  ];
}

/** A thought that OpenAI did not sign is written without `encrypted_content`. */
function thoughtLines(block: ThinkingBlock, id: Json, makers: Makers): Line[] {
  const { text } = block;
  const signature = block.signedBy === "openai" ? (block.signature ?? null) : null;
  const summary = text === "" ? [] : [{ type: "summary_text", text }];
  const item = { type: "reasoning", ...id, summary, content: null, encrypted_content: signature };
  if (text === "") return [itemLine(item)];
  const shown = { type: "Reasoning", id: makers.uuid(), summary_text: [text], raw_content: [] };
  return [
    { type: "event_msg", payload: { type: "agent_reasoning", text }, shownIn: "legacy" },
    completedItem(makers, shown),
    itemLine(item),
  ];
}

/** Above this, Codex cuts a result when it resumes, unless the line says otherwise (48 kB passed). */
const LONG_OUTPUT_CHARS = 16_000;
const MIN_TOKEN_LIMIT = 480_000;

/** Beginnings by which the reader recognises the output of a command, with its exit code. */
const LOOKS_LIKE_COMMAND = /^(?:Chunk ID:|Wall time:|Process exited|Exit code:)/u;

function toOutput(block: ToolResultBlock, makers: Makers, of: "function" | "custom"): ItemLines {
  const id = `${of === "custom" ? "ctco" : "fco"}_${makers.uuid()}`;
  const type = of === "custom" ? "custom_tool_call_output" : "function_call_output";
  const [only] = block.content;
  const isText = block.content.length === 1 && only?.type === "text";
  const output = isText ? only.text : block.content.map((part) => toPart(part, "a tool result"));
  const item = { type, id, call_id: block.toolCallId, output };
  const chars = textOf(block.content).length;
  const limit = { client_authored: false, fallback_token_limit_override: Math.max(MIN_TOKEN_LIMIT, chars) };
  const isDoubtful = isText && LOOKS_LIKE_COMMAND.test(only.text);
  const lines: Line[] = [];
  if (block.isError || isDoubtful) lines.push(exitLine(block));
  lines.push({
    ...itemLine(item),
    ...(chars > LONG_OUTPUT_CHARS ? { more: { metadata: limit } } : {}),
  });
  return { lines, id };
}

/** Codex ignores this event, but only this event records in a file that a call failed. */
function exitLine({ toolCallId, isError, status }: ToolResultBlock): Line {
  const word = status === "denied" ? "declined" : isError ? "failed" : "completed";
  const payload = {
    type: "exec_command_end",
    call_id: toolCallId,
    exit_code: isError ? 1 : 0,
    status: word,
  };
  return { type: "event_msg", payload };
}

function toPart(block: Block, where: string): Json {
  if (block.type === "text") return { type: "input_text", text: block.text };
  if (block.type !== "image") return refuseBlock("Codex", block, where);
  return { type: "input_image", image_url: urlOf(block), detail: "auto" };
}

function urlOf(block: Block & { readonly type: "image" }): string {
  if (block.data !== undefined) return `data:${block.mimeType};base64,${block.data}`;
  return block.url ?? refuseBlock("Codex", block, "a message");
}

function itemLine(payload: Json): Line {
  return { type: "response_item", payload };
}

function completedItem(makers: Makers, item: Json): Line {
  const nowMs = makers.now();
  return {
    type: "event_msg",
    shownIn: "paginated",
    payload: (threadId, turnId) => ({
      type: "item_completed",
      thread_id: threadId,
      turn_id: turnId,
      item,
      started_at_ms: nowMs,
      completed_at_ms: nowMs,
    }),
  };
}

function usageLine(usage: Usage, makers: Makers): Line {
  const cached = usage.cacheReadTokens ?? 0;
  const written = usage.cacheWriteTokens ?? 0;
  const input = usage.inputTokens + cached + written;
  const response = `resp_${makers.hex(32)}`;
  return {
    type: "token_usage_record",
    payload: (threadId, turnId) => ({
      thread_id: threadId,
      turn_id: turnId,
      response_id: response,
      usage: {
        input_tokens: input,
        cached_input_tokens: cached,
        cache_write_input_tokens: written,
        output_tokens: usage.outputTokens,
        reasoning_output_tokens: usage.reasoningTokens ?? 0,
        total_tokens: usage.totalTokens ?? input + usage.outputTokens,
      },
    }),
  };
}
