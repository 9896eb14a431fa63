/**
 * Converts entries of a transcript to events. A message also becomes a message of Continuo; any other entry is only
 * stored.
 */

import type { SessionStoreEntry } from "@anthropic-ai/claude-agent-sdk";
import { type Block, type NewEvent, textOf } from "@continuo/core/model";
import { isToolResult, toBlock, toToolResult } from "@continuo/native/claude";

export const ENTRY = "claude.entry";

type Json = Readonly<Record<string, unknown>>;

/**
 * `subagent`: the log of a sub-agent; all its messages are marked as outside of the main conversation, but are shown.
 */
export type TranscriptKind = "main" | "subagent";

/** An entry with a `uuid` has it as the id of its event, so that it is stored once in its log. */
export function entryEvent(entry: SessionStoreEntry, kind: TranscriptKind): NewEvent {
  const id = entry.uuid === undefined ? {} : { id: entry.uuid };
  const { type, data } = messageOf(entry, kind) ?? { type: ENTRY, data: {} };
  return { ...id, type, data: { ...data, entry } };
}

export function entryOf(data: unknown): SessionStoreEntry | undefined {
  return (data as { readonly entry?: SessionStoreEntry } | null)?.entry;
}

/** The text of a prompt, for the title of the session. The SDK writes it as blocks, the command as a string. */
export function promptOf({ type, message, isMeta }: SessionStoreEntry): string | undefined {
  if (type !== "user" || isMeta === true) return undefined;
  const content = (message as Json | undefined)?.content;
  if (typeof content === "string") return content;
  if (!Array.isArray(content) || content.some(isToolResult)) return undefined;
  return textOf(content.map(toPart)) || undefined;
}

interface EntryMessage {
  readonly type: string;
  readonly data: Json;
}

function messageOf(entry: SessionStoreEntry, kind: TranscriptKind): EntryMessage | undefined {
  const { type, message, uuid, isMeta, isSidechain } = entry;
  const isMessage = type === "user" || type === "assistant";
  const isAside = isMeta === true || (kind === "main" && isSidechain === true);
  if (!isMessage || isAside || typeof uuid !== "string") return undefined;
  const content = (message as Json | undefined)?.content;
  if (typeof content !== "string" && !Array.isArray(content)) return undefined;
  const blocks = typeof content === "string" ? content : content.map(toPart);
  if (type === "assistant") return { type: "message_received", data: { messageId: uuid, content: blocks } };
  const isResult = Array.isArray(content) && content.some(isToolResult);
  return {
    type: "message_sent",
    data: { role: isResult ? "tool" : "user", messageId: uuid, content: blocks },
  };
}

function toPart(raw: unknown): Block {
  const options = { children: new Map<string, string>() };
  return isToolResult(raw) ? toToolResult(raw, options) : toBlock(raw, options);
}
