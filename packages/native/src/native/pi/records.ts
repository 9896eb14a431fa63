/**
 * The records of a pi session file, and the questions that one record answers.
 *
 * The types were seen in 0.73.1, 0.87.1 and 1.5.2; those marked (docs) are in the documentation of the package, and
 * were never seen in a file. No function here relies on the type of a field. Pure.
 */

import type { TextBlock } from "@continuo/core/model";
import { isJson, type Json } from "@continuo/files";

/** Every entry type that this version knows, with its meaning. Others are kept verbatim and counted. */
const ENTRY_TYPES = {
  session: "the header: format version, session id, cwd, the file that a fork came from",
  message: "what was said, by the role of its `message`",
  model_change: "the model from here on",
  thinking_level_change: "the thinking level from here on",
  compaction: "a summary in place of what came before `firstKeptEntryId`",
  branch_summary: "a summary of a branch that was left",
  custom: "state of an extension",
  custom_message: "text that an extension put there for the model",
  label: "the person's mark on another entry",
  session_info: "the person's title",
  usage: "tokens of a model call that is no answer",
  context_edit: "takes an earlier entry out of the model's sight, or replaces it there",
} as const satisfies Readonly<Record<string, string>>;

export function isKnownType(type: string): boolean {
  return Object.hasOwn(ENTRY_TYPES, type);
}

export interface Header {
  /** `null` if the header has none. */
  readonly id: string | null;
  /** 1 where the header names none. */
  readonly version: number;
  readonly cwd: string | null;
  readonly createdAt: string | null;
  /** The path of the file that this one was forked from. */
  readonly parentSession: string | null;
}

/** Returns `null` if the record is not a header. */
export function parseHeader(value: unknown): Header | null {
  if (!isJson(value) || value.type !== "session") return null;
  return {
    id: filledField(value, "id"),
    version: typeof value.version === "number" ? value.version : 1,
    cwd: filledField(value, "cwd"),
    createdAt: timeOf(value),
    parentSession: filledField(value, "parentSession"),
  };
}

/**
 * Why an entry cannot be what its type says; `null` if it is well formed. A message without content is
 * well formed: pi reads it as an empty one (seen in 1.5.2).
 */
export function flawOf(entry: Json): string | null {
  if (typeof entry.type !== "string") return "the record has no type";
  if (entry.type === "compaction" || entry.type === "branch_summary") {
    return typeof entry.summary === "string" ? null : `a ${entry.type} without a summary`;
  }
  if (entry.type === "context_edit") {
    return typeof entry.targetId === "string" ? null : "a context_edit that names no entry";
  }
  if (entry.type !== "message") return null;
  const message = messageOf(entry);
  if (message === null || typeof message.role !== "string") return "a message without a role";
  if (message.role === "toolResult" && typeof message.toolCallId !== "string") {
    return "a tool result that names no call";
  }
  return hasContent(message.content) ? null : "the content of a message is neither text nor a list";
}

function hasContent(content: unknown): boolean {
  return content === undefined || content === null || typeof content === "string" || Array.isArray(content);
}

export function messageOf(entry: Json): Json | null {
  return entry.type === "message" && isJson(entry.message) ? entry.message : null;
}

/** The role of a message entry; `null` for other entries. `hookMessage` is the `custom` of version 2. */
export function roleOf(entry: Json): string | null {
  const role = messageOf(entry)?.role;
  if (typeof role !== "string") return null;
  return role === "hookMessage" ? "custom" : role;
}

/** Content as a list of native blocks. */
export function blocksOf(content: unknown): readonly unknown[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (Array.isArray(content)) return content;
  return content === undefined || content === null ? [] : [content];
}

/** Ids of the tool calls of an answer. */
export function callIdsOf(message: Json): string[] {
  return blocksOf(message.content).flatMap((block) =>
    isJson(block) && block.type === "toolCall" && typeof block.id === "string" ? [block.id] : [],
  );
}

/** Answers that pi never sends again, because they are incomplete (rule of all observed versions). */
export function isBrokenOff(message: Json): boolean {
  return message.stopReason === "error" || message.stopReason === "aborted";
}

/** Time of an entry: its own, else that of its message (milliseconds). ISO 8601 UTC, `null` if none is recorded. */
export function timeOf(entry: Json): string | null {
  const ms = timeMsOf(entry);
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}

/** Milliseconds, or `NaN` for a value that is not a time. */
export function timeMsOf(entry: Json): number {
  const own = typeof entry.timestamp === "string" ? Date.parse(entry.timestamp) : Number.NaN;
  if (!Number.isNaN(own)) return own;
  const said = messageOf(entry)?.timestamp;
  return typeof said === "number" && Math.abs(said) <= MAX_TIME_MS ? said : Number.NaN;
}

const MAX_TIME_MS = 8.64e15;

/** The title that a `session_info` gives: `""` takes an earlier one back. `null` for other entries. */
export function namedBy(entry: Json): string | null {
  if (entry.type !== "session_info") return null;
  return typeof entry.name === "string" ? entry.name.trim() : "";
}

/**
 * Returns the text that the person typed; `null` if the entry is not one of their messages, or has no text. Attached
 * files (`pi @file`) and the text of a skill that `/skill:NAME` stands for are left out (seen in
 * 1.5.2).
 */
export function typedText(entry: Json): string | null {
  const message = messageOf(entry);
  if (message === null || message.role !== "user") return null;
  const texts: string[] = [];
  for (const block of blocksOf(message.content)) {
    if (isJson(block) && block.type === "text" && typeof block.text === "string") texts.push(block.text);
  }
  const text = texts.join("\n\n").replace(ATTACHED, "");
  const typed = skillIn(text)?.typed ?? text;
  return typed.trim() === "" ? null : typed;
}

const ATTACHED = /^(?:<file name="[^"\n]*">[\s\S]*?<\/file>\n)+/u;
const SKILL = /^<skill name="([^"\n]+)" location="[^"\n]*">\n[\s\S]*?\n<\/skill>(?:\n\n([\s\S]+))?$/u;

/** A skill that `/skill:NAME` put before what the person typed, in the fields of a block; `null` if there is none. */
export function skillIn(text: string): Required<Pick<TextBlock, "typed" | "injectedChars">> | null {
  const [, name, args = ""] = SKILL.exec(text) ?? [];
  if (name === undefined) return null;
  return { typed: `/skill:${name} ${args}`.trim(), injectedChars: text.length - args.length };
}

/** The field where it is a text with characters: pi takes an empty id or parent for none. */
export function filledField(record: Json, key: string): string | null {
  const value = record[key];
  return typeof value === "string" && value !== "" ? value : null;
}
