/** The history that an agent reports when it loads a session, as messages: a fold of its updates. Pure. */

import type { Block, Message } from "@continuo/core/model";
import type { Json } from "@continuo/files";
import { toBlock } from "./content.ts";
import { eventsOf, newUpdateState, type UpdateState } from "./updates.ts";

/** Beyond this number, the oldest updates are dropped: a caller who needs all of them reads the session's files. */
const MAX_UPDATES = 20_000;

export interface LoadedHistory {
  readonly updates: Json[];
}

export function noteUpdate({ updates }: LoadedHistory, update: Json): void {
  updates.push(update);
  if (updates.length > MAX_UPDATES) updates.shift();
}

interface MessageDraft {
  readonly role: Message["role"];
  readonly content: Block[];
  readonly toolCallId?: string;
}

/** Parts of one speaker that follow each other are one message. */
export function messagesOf({ updates }: LoadedHistory): Message[] {
  const state = newUpdateState();
  const drafts: MessageDraft[] = [];
  for (const update of updates) addUpdate(drafts, update, state);
  return drafts.map((draft, at) => ({ id: String(at + 1), ...draft, metadata: {} }));
}

function addUpdate(drafts: MessageDraft[], update: Json, state: UpdateState): void {
  if (update.sessionUpdate === "user_message_chunk") add(drafts, "user", toBlock(update.content));
  if (update.sessionUpdate === "user_message" && Array.isArray(update.content)) {
    for (const content of update.content) add(drafts, "user", toBlock(content));
  }
  for (const event of eventsOf(update, state)) {
    if (event.type === "text") add(drafts, "assistant", { type: "text", text: event.delta });
    if (event.type === "thinking") add(drafts, "assistant", { type: "thinking", text: event.delta });
    if (event.type === "message") for (const block of event.content) add(drafts, "assistant", block);
    if (event.type === "tool_call") {
      const args = (event.toolInput ?? {}) as Readonly<Record<string, unknown>>;
      add(drafts, "assistant", { type: "tool_call", id: event.toolCallId, name: event.toolName, args });
    }
    if (event.type === "tool_result") {
      const { toolCallId, content, status } = event;
      const blocks: readonly Block[] =
        typeof content === "string" ? [{ type: "text", text: content }] : content;
      const result: Block = {
        type: "tool_result",
        toolCallId,
        content: blocks,
        isError: status !== "ok",
        status,
      };
      drafts.push({ role: "tool", content: [result], toolCallId });
    }
  }
}

function add(drafts: MessageDraft[], role: "user" | "assistant", block: Block): void {
  const last = drafts.at(-1);
  if (last?.role !== role) {
    drafts.push({ role, content: [block] });
    return;
  }
  const before = last.content.at(-1);
  const isSame = (block.type === "text" || block.type === "thinking") && before?.type === block.type;
  if (isSame) last.content.splice(-1, 1, { ...before, text: before.text + block.text } as Block);
  else last.content.push(block);
}
