/** Response items that Codex leaves out because a field has another form than it expects. Pure. */

import { isJson, type Json } from "@continuo/files";

/** In the form that Codex reads, where the item says enough for it; else as it was. */
export function mendItem(item: Json): Json {
  switch (item.type) {
    case "message":
      return { ...item, content: mendContent(item) };
    case "reasoning":
      return { ...item, summary: summaryOf(item.summary) };
    case "function_call":
      return { ...item, arguments: asText(item.arguments) };
    case "custom_tool_call":
      return { ...item, input: asText(item.input) };
    case "function_call_output":
    case "custom_tool_call_output":
      return { ...item, output: Array.isArray(item.output) ? item.output : asText(item.output ?? "") };
    default:
      return item;
  }
}

function mendContent({ role, content }: Json): unknown {
  const type = role === "assistant" ? "output_text" : "input_text";
  if (typeof content === "string") return [{ type, text: content }];
  if (!Array.isArray(content)) return content;
  return content.flatMap((part: unknown) => {
    if (typeof part === "string") return [{ type, text: part }];
    if (!isJson(part)) return [];
    const isText = part.type === "text" || (typeof part.type !== "string" && typeof part.text === "string");
    return isText ? [{ ...part, type }] : [part];
  });
}

function summaryOf(summary: unknown): unknown {
  if (typeof summary === "string" && summary !== "") return [{ type: "summary_text", text: summary }];
  return Array.isArray(summary) ? summary : [];
}

function asText(value: unknown): unknown {
  if (typeof value === "string") return value;
  return JSON.stringify(value ?? {});
}
