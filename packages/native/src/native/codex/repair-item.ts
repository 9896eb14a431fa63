/** Response items that Codex leaves out because a field has another form than it expects. Pure. */

import { isJson, type Json } from "@continuo/files";
import { isPart, isSummaryPart } from "./items.ts";
import { toText } from "./records.ts";

/** Returns the item in the form that Codex reads, if it has enough content for that; otherwise unchanged. */
export function mendItem(given: Json): Json {
  const type = typeOf(given);
  const item = type === null || type === given.type ? given : { ...given, type };
  switch (type) {
    case "message": {
      const role = roleOf(item);
      return { ...item, ...(role === null ? {} : { role }), content: mendContent(role, item.content) };
    }
    case "reasoning":
      return { ...item, summary: summaryOf(item.summary) };
    case "function_call":
      return { ...item, arguments: asText(item.arguments) };
    case "custom_tool_call":
      return { ...item, input: asText(item.input) };
    case "function_call_output":
    case "custom_tool_call_output": {
      const { output } = item;
      return { ...item, output: Array.isArray(output) ? mendContent("user", output) : asText(output ?? "") };
    }
    default:
      return item;
  }
}

/** The type according to the other fields, if it is lost. */
function typeOf(item: Json): string | null {
  if (typeof item.type === "string") return item.type;
  const isCalled = toText(item.call_id) !== null;
  if (Array.isArray(item.content) && !Array.isArray(item.summary)) return "message";
  if (Array.isArray(item.summary)) return "reasoning";
  if (isCalled && typeof item.arguments === "string") return "function_call";
  if (isCalled && typeof item.input === "string") return "custom_tool_call";
  if (!isCalled || item.output === undefined) return null;
  return toText(item.id)?.startsWith("cto_") ? "custom_tool_call_output" : "function_call_output";
}

/**
 * Returns the role, or derives a lost one from the content: only the model writes parts of the type `output_text`, and
 * only messages of the person have content kinds that begin with `user.`.
 */
function roleOf({ role, content, internal_chat_message_metadata_passthrough: passed }: Json): string | null {
  if (typeof role === "string") return role;
  if (!Array.isArray(content)) return null;
  if (content.some((part) => isJson(part) && part.type === "output_text")) return "assistant";
  const kinds = isJson(passed) && Array.isArray(passed.content_item_kinds) ? passed.content_item_kinds : [];
  return kinds.some((kind) => String(kind).startsWith("user.")) ? "user" : null;
}

function mendContent(role: string | null, content: unknown): unknown {
  const type = role === "assistant" ? "output_text" : "input_text";
  if (typeof content === "string") return [{ type, text: content }];
  if (!Array.isArray(content)) return content;
  return content.flatMap((part: unknown) => {
    if (isPart(part)) return [part];
    if (typeof part === "string") return [{ type, text: part }];
    if (!isJson(part)) return [];
    if (typeof part.text === "string") return [{ ...part, type }];
    if (typeof part.image_url === "string") return [{ ...part, type: "input_image" }];
    // A later version may know the type.
    return KNOWN_PARTS.has(part.type) || typeof part.type !== "string" ? [] : [part];
  });
}

const KNOWN_PARTS: ReadonlySet<unknown> = new Set(["input_text", "output_text", "input_image", "text"]);

function summaryOf(summary: unknown): unknown {
  if (typeof summary === "string" && summary !== "") return [{ type: "summary_text", text: summary }];
  if (!Array.isArray(summary)) return [];
  return summary.flatMap((part: unknown) => {
    if (isSummaryPart(part)) return [part];
    const text = isJson(part) ? part.text : part;
    return typeof text === "string" && text !== "" ? [{ type: "summary_text", text }] : [];
  });
}

function asText(value: unknown): unknown {
  if (typeof value === "string") return value;
  return JSON.stringify(value ?? {});
}
