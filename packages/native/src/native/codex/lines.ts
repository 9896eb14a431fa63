/**
 * Reads single lines of a rollout file. Pure.
 *
 * An item that Codex reads is in the history, or on a path that a rollback left. An event for the interface becomes a
 * message only if no item has the same text.
 */

import type { Message } from "@continuo/core/model";
import { isJson, type Json } from "@continuo/files";
import { isCompressed } from "@continuo/files/records";
import { firstLineOf, isAlone, type LineMessage, type LineReader } from "../kit/index.ts";
import { withoutUnreadFields } from "./forms.ts";
import { hasTexts, shownTexts, speakerOf } from "./interface-messages.ts";
import { flawOf, kindOfItem, toBlocks, toOutput, toParts } from "./items.ts";
import { hasLineTime, LINK_KEYS, parseRecord, parseSessionMeta } from "./records.ts";
import { isTyped } from "./text-authors.ts";

export const codexLines: LineReader = {
  isPlain(found, bytes) {
    if (!isAlone(found) || isCompressed(found.location)) return false;
    const meta = parseSessionMeta(firstLineOf(bytes));
    const isOwn = meta !== null && meta.base === null && meta.forkedFrom === null;
    return isOwn && LINK_KEYS.every((key) => !bytes.includes(key));
  },
  messagesOf(value) {
    const record = parseRecord(value);
    if (record === null || !hasLineTime(value)) return null;
    const { type, payload, payloadType } = record;
    if (type === "response_item") return itemMessages(value, payload);
    if (SILENT.has(type)) return [];
    if (type !== "event_msg") return null;
    if (hasTexts(payload)) return [shownMessage(payload)];
    if (payloadType === "task_complete") return isJson(payload.error) ? null : [];
    return SILENT_EVENTS.has(payloadType) ? [] : null;
  },
};

/** Records without a text of the conversation. */
const SILENT: ReadonlySet<string> = new Set(["turn_context", "token_usage_record", "world_state"]);
const SILENT_EVENTS: ReadonlySet<string> = new Set(["task_started", "turn_aborted", "token_count"]);

function itemMessages(value: unknown, item: Json): readonly LineMessage[] | null {
  if (!isJson(value) || withoutUnreadFields(value).unread.length > 0 || flawOf(item) !== null) return null;
  const base = { id: "", metadata: {} };
  const kept = (message: Message): readonly LineMessage[] => [{ message, isKept: () => true }];
  switch (kindOfItem(item)) {
    case "assistant":
      return kept({ ...base, role: "assistant", content: toBlocks(item), origin: "agent" });
    case "message": {
      const origin = isTyped(item) ? "person" : "injected";
      return kept({ ...base, role: "user", content: toParts(item.content), origin });
    }
    case "output": {
      const content = toOutput(item);
      const result = { type: "tool_result", toolCallId: "", content, isError: false } as const;
      return kept({ ...base, role: "tool", content: [result] });
    }
    default:
      return null;
  }
}

function shownMessage(payload: Json): LineMessage {
  const isPerson = speakerOf(payload) === "user";
  const content = shownTexts(payload).map((text) => ({ type: "text", text }) as const);
  const role = isPerson ? "user" : "assistant";
  return {
    message: { id: "", role, content, origin: isPerson ? "person" : "agent", metadata: {} },
    isKept: () => false,
  };
}
