/**
 * Converts response items, the model's input and output in the form of the vendor's API, to blocks. The kinds were seen
 * in 0.169.0; those marked (docs) are only named by `codex app-server generate-ts`. Pure.
 */

import { type Block, present, type ToolCallBlock, type ToolDefinition } from "@continuo/core/model";
import { entryOf, isJson, type Json, parseJson, textOfValue } from "@continuo/files";
import { type CodexRecord, parseRecord, toText } from "./records.ts";

/** The role of an item in the conversation. `assistant` items of one response form one message. */
export type ItemKind = "message" | "assistant" | "output" | "other";

const KINDS: Readonly<Record<string, ItemKind>> = {
  message: "message",
  reasoning: "assistant",
  function_call: "assistant",
  custom_tool_call: "assistant",
  local_shell_call: "assistant", // (docs)
  web_search_call: "assistant", // (docs)
  image_generation_call: "assistant", // (docs)
  tool_search_call: "assistant",
  function_call_output: "output",
  custom_tool_call_output: "output",
  tool_search_output: "output",
  additional_tools: "other",
  agent_message: "other", // (docs)
  compaction: "other",
  compaction_trigger: "other", // (docs)
  context_compaction: "other", // (docs)
  configuration_update: "other", // (docs)
};

/** `null` for an unknown kind. */
export function kindOfItem(item: Json): ItemKind | null {
  const kind = entryOf(KINDS, textOfValue(item.type));
  if (kind === "message" && item.role === "assistant") return "assistant";
  if (isUnasked(item)) return "other";
  return kind ?? null;
}

/**
 * Returns true for an output without a call, which Codex sends to the model unchanged: a report of Codex itself (an edited
 * objective of a goal), or an output whose `call_id` is lost.
 */
export function isUnasked({ type, call_id: callId }: Json): boolean {
  return type === "function_call_output" && (callId ?? null) === null;
}

/** Why Codex ignores the item without reporting it (each reason seen in 0.169.0); `null` if it is well formed. */
export function flawOf(item: Json): string | null {
  const type = textOfValue(item.type);
  if (typeof item.type !== "string") return "an item without a type";
  if (type === "message") {
    if (typeof item.role !== "string") return "a message without a role";
    if (!Array.isArray(item.content)) return "the content of a message is no list";
    return item.content.every(isPart) ? null : "a part of a message is neither a text nor an image";
  }
  if (type === "reasoning") {
    if (!Array.isArray(item.summary)) return "reasoning without a summary list";
    return item.summary.every(isSummaryPart) ? null : "a part of a summary is no text";
  }
  if (type === "function_call" || type === "custom_tool_call") {
    const text = type === "function_call" ? item.arguments : item.input;
    if (!toText(item.call_id)) return `a ${type} without call_id`;
    if (!toText(item.name)) return `a ${type} without a name`;
    return typeof text === "string" ? null : `the arguments of a ${type} are no text`;
  }
  if (type === "function_call_output" || type === "custom_tool_call_output") {
    if (!toText(item.call_id) && !isUnasked(item)) return `a ${type} without call_id`;
    const isOutput = Array.isArray(item.output) ? item.output.every(isPart) : typeof item.output === "string";
    return isOutput ? null : `a ${type} without output`;
  }
  return null;
}

/** Codex leaves out a message with a part of any other type. */
export function isPart(part: unknown): boolean {
  if (!isJson(part)) return false;
  if (part.type === "input_text" || part.type === "output_text") return typeof part.text === "string";
  if (part.type === "input_image") return typeof part.image_url === "string";
  return part.type === "input_audio" || part.type === "encrypted_content";
}

export function isSummaryPart(part: unknown): boolean {
  return isJson(part) && part.type === "summary_text" && typeof part.text === "string";
}

/** The id that an output refers to; `null` for calls that have no output of their own. */
export function callIdOf(item: Json): string | null {
  switch (item.type) {
    case "function_call":
    case "custom_tool_call":
    case "local_shell_call":
    case "tool_search_call":
      return toText(item.call_id);
    default:
      return null;
  }
}

export function isCall(item: Json): boolean {
  return textOfValue(item.type).endsWith("_call");
}

/** The blocks of an item of kind `assistant` or `message`. */
export function toBlocks(item: Json): Block[] {
  if (item.type === "message") return toParts(item.content);
  if (item.type === "reasoning") return toThinking(item);
  if (!isCall(item)) return [{ type: "unknown", raw: item }];
  return [...toCall(item), ...toVendorResult(item)];
}

/** Returns the texts and images of an output, or a line for each tool that a search for tools found. */
export function toOutput(item: Json): Block[] {
  if (Array.isArray(item.tools))
    return [{ type: "text", text: flatTools(item.tools).map(toolLine).join("\n") }];
  if (typeof item.output === "string") return [{ type: "text", text: item.output }];
  return Array.isArray(item.output) ? toParts(item.output) : [{ type: "unknown", raw: item }];
}

/** An entry of `tools` is a tool, or a server with a list of its own tools, which get the server's name as namespace. */
function flatTools(tools: unknown): readonly Json[] {
  if (!Array.isArray(tools)) return [];
  return tools.filter(isJson).flatMap((tool): readonly Json[] => {
    if (!Array.isArray(tool.tools)) return [tool];
    return flatTools(tool.tools.filter(isJson).map((inner) => ({ ...inner, namespace: tool.name })));
  });
}

function toolLine(tool: Json): string {
  return `${toolNameOf(tool)}: ${textOfValue(tool.description)}`;
}

/**
 * The definitions of tools in a record: those that a client gave the thread (`session_meta.dynamic_tools`), and those in
 * the model's input. Codex does not store the definitions of its own tools.
 */
export function toolsInRecord(value: unknown): readonly ToolDefinition[] {
  const record = parseRecord(value);
  return record === null ? [] : flatTools(toolListOf(record)).flatMap(toDefinition);
}

/** False if `toolsInRecord` finds none in the record. */
export function hasToolList(record: CodexRecord): boolean {
  const tools = toolListOf(record);
  return Array.isArray(tools) && tools.length > 0;
}

function toolListOf({ type, payload, payloadType }: CodexRecord): unknown {
  if (type === "session_meta") return payload.dynamic_tools;
  const hasTools = payloadType === "additional_tools" || payloadType === "tool_search_output";
  return type === "response_item" && hasTools ? payload.tools : undefined;
}

/** A tool has its schema in `inputSchema` or `parameters`, and a tool with a grammar has none. */
function toDefinition(tool: Json): readonly ToolDefinition[] {
  const schema = tool.inputSchema ?? tool.input_schema ?? tool.parameters;
  const inputSchema = isJson(schema) ? schema : undefined;
  const description = toText(tool.description) ?? undefined;
  return toText(tool.name) ? [present({ name: toolNameOf(tool), description, inputSchema })] : [];
}

/** The parts of a message's content or of an output. */
export function toParts(content: unknown): Block[] {
  if (!Array.isArray(content)) return [];
  return content.map((part: unknown): Block => {
    if (!isJson(part)) return { type: "unknown", raw: part };
    if (part.type === "input_text" || part.type === "output_text") return toTextBlock(part);
    const url = toText(part.image_url);
    return part.type === "input_image" && url !== null ? toImage(url, part) : { type: "unknown", raw: part };
  });
}

function toTextBlock(part: Json): Block {
  if (typeof part.text !== "string") return { type: "unknown", raw: part };
  const marked = Array.isArray(part.annotations) && part.annotations.length > 0;
  return { type: "text", text: part.text, ...(marked && { native: part }) };
}

/** A `data:` URL becomes data. Other keys than the usual `detail: "auto"` stay in `native`. */
function toImage(url: string, part: Json): Block {
  const detail = toText(part.detail);
  const kept = detail === null || detail === "auto" ? {} : { native: { type: part.type, detail } };
  const comma = url.indexOf(",");
  const head = url.slice(0, Math.max(comma, 0));
  if (!head.startsWith("data:") || !head.endsWith(";base64")) {
    return { type: "image", mimeType: "image/*", url, ...kept };
  }
  const mimeType = head.slice("data:".length).split(";")[0] || "image/*";
  return { type: "image", mimeType, data: url.slice(comma + 1), ...kept };
}

/** Summary and signature form one block. Open reasoning text, if a model gives it, forms another. */
function toThinking(item: Json): Block[] {
  const summary = textsOf(item.summary);
  const raw = textsOf(item.content);
  const signature = toText(item.encrypted_content);
  const text = summary.join("\n\n");
  const blocks: Block[] = [];
  if (text !== "" || signature !== null || raw.length === 0) {
    blocks.push({
      type: "thinking",
      text,
      ...(signature !== null && { signature, signedBy: "openai" }),
      ...(text === "" && signature !== null && raw.length === 0 && { redacted: true }),
    });
  }
  for (const open of raw) blocks.push({ type: "thinking", text: open });
  return blocks;
}

function textsOf(parts: unknown): string[] {
  if (!Array.isArray(parts)) return [];
  return parts.flatMap((part: unknown) => (isJson(part) && typeof part.text === "string" ? [part.text] : []));
}

/**
 * A function call keeps its text in `rawArgs`. The text of a custom call is not JSON: it is in `rawArgs`, and in
 * `args.input`, so that a person sees it. All calls except plain function calls have their item in `native`.
 */
function toCall(item: Json): ToolCallBlock[] {
  const type = textOfValue(item.type);
  const id = idOfCall(item);
  if (type === "function_call") {
    const rawArgs = textOfValue(item.arguments);
    const name = toolNameOf(item);
    const native = item.namespace === undefined ? {} : { native: item };
    return [{ type: "tool_call", id, name, args: parseArgs(rawArgs), rawArgs, ...native }];
  }
  if (type === "custom_tool_call") {
    const input = textOfValue(item.input);
    return [{ type: "tool_call", id, name: toolNameOf(item), args: { input }, rawArgs: input, native: item }];
  }
  const name = type.slice(0, -"_call".length);
  const ranBy = type === "local_shell_call" || item.execution === "client" ? "agent" : "model";
  return [{ type: "tool_call", id, name, args: argsOfBuiltIn(item), ranBy, ...nativeOfBuiltIn(item) }];
}

function idOfCall(item: Json): string {
  return toText(item.call_id) ?? toText(item.id) ?? "";
}

function argsOfBuiltIn(item: Json): Json {
  if (isJson(item.action)) return item.action;
  if (isJson(item.arguments)) return item.arguments;
  return typeof item.revised_prompt === "string" ? { revised_prompt: item.revised_prompt } : {};
}

/** Leaves out the picture of an image generation, because the result of the call contains it. */
function nativeOfBuiltIn(item: Json): { native: Json } {
  if (item.type !== "image_generation_call") return { native: item };
  const { result: _result, ...rest } = item;
  return { native: rest };
}

/**
 * Codex stores the namespace of a server, `mcp__SERVER`, apart from the name of its tool (0.169.0). Together they are the
 * name `mcp__SERVER__TOOL`, which other agents use.
 */
function toolNameOf({ name, namespace }: Json): string {
  const server = textOfValue(namespace);
  return server.startsWith(SERVER_PREFIX) ? `${server}__${textOfValue(name)}` : textOfValue(name);
}

const SERVER_PREFIX = "mcp__";

/** States of a call of the vendor that has no end yet. */
const UNFINISHED: ReadonlySet<unknown> = new Set(["in_progress", "searching", "generating", "incomplete"]);

/** A call without a separate output contains its end, and the picture that it made. */
function toVendorResult(item: Json): Block[] {
  if (!VENDOR_CALLS.has(item.type)) return [];
  const data = toText(item.result);
  if (data === null && UNFINISHED.has(item.status)) return [];
  const content: Block[] = data === null ? [] : [{ type: "image", mimeType: "image/png", data }];
  const isError = item.status === "failed";
  const status = isError ? "error" : "ok";
  return [{ type: "tool_result", toolCallId: idOfCall(item), content, isError, status }];
}

const VENDOR_CALLS: ReadonlySet<unknown> = new Set(["web_search_call", "image_generation_call"]);

function parseArgs(text: string): Json {
  try {
    const value: unknown = parseJson(text);
    return isJson(value) ? value : {};
  } catch {
    return {};
  }
}
