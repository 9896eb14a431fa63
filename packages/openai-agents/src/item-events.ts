/**
 * Converts items to events. A message or a call also becomes a part of the transcript; any other item is only stored.
 */

import { randomUUID } from "node:crypto";
import type { NewEvent } from "@continuo/core/model";

/** The type of an item that is not shown in the transcript. */
export const ITEM = "openai.item";

type Item = Readonly<Record<string, unknown>>;

/** @param plain the item as JSON, which is stored in the payload in addition to the fields of the transcript */
export function itemEvent(plain: unknown): NewEvent {
  const id = randomUUID();
  const { type, data } = inTranscript(plain as Item, id) ?? { type: ITEM, data: {} };
  return { id, type, data: { ...data, item: plain } };
}

function inTranscript(
  item: Item,
  messageId: string,
): (Pick<NewEvent, "type"> & { readonly data: object }) | undefined {
  const { type = "message", role, callId, name } = item;
  if (type === "message" && typeof role === "string") {
    const content = textOf(item.content);
    if (role === "assistant") return { type: "message_received", data: { content, messageId } };
    if (role === "user" || role === "system")
      return { type: "message_sent", data: { content, role, messageId } };
  }
  if (typeof callId !== "string") return undefined;
  if (type === "function_call") {
    return {
      type: "tool_call_started",
      data: { toolCallId: callId, toolName: String(name), toolInput: parsed(item.arguments) },
    };
  }
  if (type === "function_call_result") {
    return {
      type: "tool_call_completed",
      data: { toolCallId: callId, toolName: String(name), toolOutput: textOf(item.output) },
    };
  }
  return undefined;
}

/** The text of a content or an output, which is a text or a list of parts. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  const parts: readonly unknown[] = Array.isArray(content) ? content : [content];
  const texts = parts.map((part) => (part as Item | null)?.text);
  return texts.filter((text) => typeof text === "string").join("\n");
}

function parsed(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return text ?? null;
  }
}
