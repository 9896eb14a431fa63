/** The author of a text in a rollout file. Pure. */

import { isJson, type Json } from "@continuo/files";

/**
 * Texts that Codex itself writes in the person's name. The first four were seen in 0.169.0; the others are
 * names that Codex gives such notes, not seen in a file.
 */
const INJECTED =
  /^\s*(?:<(?:environment_context|turn_aborted|user_action|user_instructions|user_shell_command|subagent_notification|skill)\b|# AGENTS\.md instructions)/u;

/** True for a `message` item of role `user` that the person typed or attached. */
export function isTyped(item: Json): boolean {
  if (item.role !== "user") return false;
  const kinds = kindsOf(item);
  if (kinds.length > 0 && kinds.some((kind) => kind !== "unknown")) {
    return kinds.some((kind) => kind.startsWith("user."));
  }
  return !textParts(item.content).some((text) => INJECTED.test(text));
}

function kindsOf(item: Json): string[] {
  const passed = item.internal_chat_message_metadata_passthrough;
  const kinds = isJson(passed) ? passed.content_item_kinds : undefined;
  return Array.isArray(kinds) ? kinds.filter((kind) => typeof kind === "string") : [];
}

/** The texts of a content array, of items and events alike. */
export function textParts(content: unknown): string[] {
  if (!Array.isArray(content)) return [];
  const texts: string[] = [];
  for (const part of content) if (isJson(part) && typeof part.text === "string") texts.push(part.text);
  return texts;
}

/** Returns the text that the interface showed as typed; `null` if the event is another one. */
export function shownUserText(payload: Json): string | null {
  if (payload.type === "user_message") return typeof payload.message === "string" ? payload.message : "";
  if (payload.type !== "item_completed" || !isJson(payload.item)) return null;
  return payload.item.type === "UserMessage" ? textParts(payload.item.content).join("\n\n") : null;
}

/** The text that the person typed in this record, whether the record is the model's copy or the interface's. */
export function typedText(type: string, payload: Json): string | null {
  if (type === "event_msg") return shownUserText(payload);
  if (type !== "response_item" || payload.type !== "message" || !isTyped(payload)) return null;
  const { content } = payload;
  const kinds = kindsOf(payload);
  const told = Array.isArray(content) && kinds.length === content.length;
  const typed = told ? content.filter((_, index) => kinds[index]?.startsWith("user.")) : [];
  return textParts(withoutPictureTags(typed.length > 0 ? typed : content)).join("\n\n");
}

/**
 * Codex 0.169.0 stores `<image name=… path=…>` before a picture and `</image>` after it; the person did not type them.
 */
function withoutPictureTags(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  return content.filter((part, at) => {
    const [text] = textParts([part]);
    if (text === undefined) return true;
    return (
      !(isPicture(content[at + 1]) && text.startsWith("<image ")) &&
      !(isPicture(content[at - 1]) && text === "</image>")
    );
  });
}

function isPicture(part: unknown): boolean {
  return isJson(part) && part.type === "input_image";
}
