/** Converts our messages to those of the package `ai`. Pure. */

import type { Block, Message } from "@continuo/core/model";
import { PROMPT_BEFORE_ANSWER, toModelTurns } from "@continuo/core/transcript";
import type {
  AssistantModelMessage,
  ModelMessage,
  ToolModelMessage,
  ToolResultPart,
  UserModelMessage,
} from "ai";

export interface ModelMessages {
  /** The system messages, in their order. */
  readonly instructions: string[];
  /** The caller may change the list, because the package `ai` accepts no readonly list. */
  readonly messages: ModelMessage[];
  /** The number of blocks of each kind that a model cannot receive. */
  readonly leftOut: Readonly<Record<string, number>>;
}

type AssistantPart = Exclude<AssistantModelMessage["content"], string>[number];
type UserPart = Exclude<UserModelMessage["content"], string>[number];
type ResultOutput = ToolResultPart["output"];
type OmittedCounts = Record<string, number>;

/** The `native` of a thinking block that a model agent stored: data that the provider needs back with the block. */
export interface KeptMetadata {
  readonly providerMetadata: NonNullable<AssistantModelMessage["providerOptions"]>;
}

export function toModelMessages(messages: readonly Message[]): ModelMessages {
  return toPromptMessages(messages, new Set());
}

/** @param waiting ids of calls that wait for permission, which have no result yet */
export function toPromptMessages(messages: readonly Message[], waiting: ReadonlySet<string>): ModelMessages {
  const instructions: string[] = [];
  const made: ModelMessage[] = [];
  const leftOut: OmittedCounts = {};
  const { messages: turns, halves, notices } = toModelTurns(messages, waiting);
  if (notices > 0) leftOut.notification = notices;
  if (halves.calls > 0) leftOut.tool_call = halves.calls;
  if (halves.results > 0) leftOut.tool_result = halves.results;
  for (const message of turns) {
    if (message.role === "system") instructions.push(...message.content.flatMap(textOf));
    else if (message.role === "user") addUser(made, message, leftOut);
    else if (message.role === "assistant") addAssistant(made, message, leftOut);
    else addResults(made, message, leftOut);
  }
  // After a crash in the first answer, or a cut to a budget, a conversation can lack its first prompt.
  if (made[0]?.role === "assistant") {
    made.unshift({ role: "user", content: [{ type: "text", text: PROMPT_BEFORE_ANSWER }] });
  }
  return { instructions, messages: made, leftOut };
}

function addUser(made: ModelMessage[], { content }: Message, leftOut: OmittedCounts): void {
  const parts = content.flatMap((block): UserPart[] => {
    if (block.type === "text") return block.text === "" ? [] : [{ type: "text", text: block.text }];
    if (block.type === "image" || block.type === "file") return fileParts(block, leftOut);
    return leave(block, leftOut);
  });
  if (parts.length > 0) made.push({ role: "user", content: parts });
}

function addAssistant(made: ModelMessage[], { content }: Message, leftOut: OmittedCounts): void {
  const parts = content.flatMap((block): AssistantPart[] => {
    switch (block.type) {
      case "text":
        return block.text === "" ? [] : [{ type: "text", text: block.text }];
      case "thinking":
        return thinkingParts(block, leftOut);
      case "tool_call":
        return [{ type: "tool-call", toolCallId: block.id, toolName: block.name, input: block.args }];
      case "image":
      case "file":
        return fileParts(block, leftOut).flatMap((part) => (part.type === "file" ? [part] : []));
      default:
        return leave(block, leftOut);
    }
  });
  if (parts.length > 0) made.push({ role: "assistant", content: parts });
}

/** Thinking is sent only with the data or the signature of its provider, which prove that it is the model's own. */
function thinkingParts(block: Extract<Block, { type: "thinking" }>, leftOut: OmittedCounts): AssistantPart[] {
  const kept = (block.native as KeptMetadata | undefined)?.providerMetadata;
  if (kept !== undefined) return [{ type: "reasoning", text: block.text, providerOptions: kept }];
  if (block.signedBy !== "anthropic") return leave(block, leftOut);
  if (block.signature !== undefined) {
    const providerOptions = { anthropic: { signature: block.signature } };
    return [{ type: "reasoning", text: block.text, providerOptions }];
  }
  if (block.data === undefined) return leave(block, leftOut);
  return [{ type: "reasoning", text: "", providerOptions: { anthropic: { redactedData: block.data } } }];
}

function addResults(made: ModelMessage[], { content, toolName }: Message, leftOut: OmittedCounts): void {
  const parts = content.flatMap((block): ToolResultPart[] => {
    if (block.type !== "tool_result") return leave(block, leftOut);
    const output = outputOf(block, leftOut);
    return [{ type: "tool-result", toolCallId: block.toolCallId, toolName: toolName ?? "tool", output }];
  });
  const last = made.at(-1);
  // The results of parallel calls form one message.
  if (last?.role === "tool") made[made.length - 1] = { ...last, content: [...last.content, ...parts] };
  else if (parts.length > 0) made.push({ role: "tool", content: parts } satisfies ToolModelMessage);
}

function outputOf(block: Extract<Block, { type: "tool_result" }>, leftOut: OmittedCounts): ResultOutput {
  const words = block.content.flatMap((part) => textOf(part)).join("\n");
  if (block.isError) return { type: "error-text", value: words };
  if (block.content.every((part) => part.type === "text")) return { type: "text", value: words };
  const value = block.content.flatMap((part): Extract<ResultOutput, { type: "content" }>["value"] => {
    if (part.type === "text") return [{ type: "text", text: part.text }];
    if (part.type !== "image" && part.type !== "file") return leave(part, leftOut);
    return fileParts(part, leftOut).flatMap((file) =>
      file.type === "file" && typeof file.data === "string"
        ? [{ type: "file", mediaType: file.mediaType, data: { type: "data", data: file.data } }]
        : leave(part, leftOut),
    );
  });
  return { type: "content", value };
}

function fileParts(block: Extract<Block, { type: "image" | "file" }>, leftOut: OmittedCounts): UserPart[] {
  const filename = block.type === "file" && block.name !== undefined ? { filename: block.name } : {};
  if (block.type === "file" && block.text !== undefined) {
    return block.text === "" ? [] : [{ type: "text", text: block.text }];
  }
  if (block.data !== undefined) {
    return [{ type: "file", mediaType: block.mimeType, data: block.data, ...filename }];
  }
  if (block.url !== undefined && URL.canParse(block.url)) {
    return [{ type: "file", mediaType: block.mimeType, data: new URL(block.url), ...filename }];
  }
  return leave(block, leftOut);
}

function textOf(block: Block): string[] {
  return block.type === "text" && block.text !== "" ? [block.text] : [];
}

function leave(block: Block, leftOut: OmittedCounts): [] {
  leftOut[block.type] = (leftOut[block.type] ?? 0) + 1;
  return [];
}
