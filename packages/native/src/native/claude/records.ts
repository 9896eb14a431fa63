/**
 * The lines of a Claude Code session file, and the facts that a single line shows.
 *
 * The lines were seen in 2.1.330 and 2.1.197. Types marked "in the program only" were found in the program's strings,
 * and never in a file. No function here relies on the type of a field.
 */

import { isJson, type Json, textField, toTime } from "@continuo/files";

/** Every line type that this version knows, with its meaning. Others are kept verbatim and counted. */
const LINE_TYPES: Readonly<Record<string, string>> = {
  user: "what the person typed, the result of a tool, or text put there for the model",
  assistant: "one block of an answer (older versions: all blocks)",
  system: "shown to the person, or the boundary of a compaction",
  attachment: "context put there for the model, or a note of the program to itself",
  progress: "in the program only",
  "queue-operation": "a prompt entered or left the queue",
  "last-prompt": "names the leaf of the active branch",
  "custom-title": "the person's title",
  "agent-name": "the title, once more",
  "ai-title": "the program's title",
  summary: "the program's title in older versions",
  tag: "the person's tag",
  mode: "the mode of the editor line",
  "permission-mode": "how tools are permitted",
  "atis-latch": "a state of the program",
  "tools-used": "names of tools since the last compaction",
  "cost-state": "cost and time up to here",
  "file-history-snapshot": "copies of files before they were changed",
  "file-history-delta": "one such copy",
  "api-request": "log of a request",
  "api-request-blob": "part of such a log",
  "api-request-shape": "part of such a log",
  relocated: "in the program only",
  "worktree-state": "in the program only",
  "pr-link": "in the program only",
  "continued-in": "in the program only",
  "content-replacement": "in the program only",
  "fork-context-ref": "in the program only",
  "agent-color": "in the program only",
  "agent-setting": "in the program only",
  "bridge-session": "in the program only",
  "session-owner": "in the program only",
  "memory-mode": "in the program only",
  "derived-from": "in the program only",
  "frame-link": "in the program only",
  "observer-ref": "in the program only",
};

export function isKnownType(type: string): boolean {
  return Object.hasOwn(LINE_TYPES, type);
}

/** ISO 8601 UTC, or `null` for a value that is not a time. */
export function timeOf(record: Json): string | null {
  return toTime(record.timestamp);
}

/** Milliseconds, or `NaN` for a value that is not a time. */
export function timeMsOf(record: Json): number {
  const text = textField(record, "timestamp");
  return text === null ? Number.NaN : Date.parse(text);
}

/** Lines of these types are links of the parent chain; a line of an unknown type is a link if it has a uuid. */
export function isChained(record: Json): boolean {
  return isChainType(record.type) || typeof record.uuid === "string";
}

export function isChainType(type: unknown): boolean {
  return type === "user" || type === "assistant" || type === "system" || type === "attachment";
}

/** The content of a user or assistant line as blocks; `null` if it has none. */
export function contentOf(record: Json): readonly unknown[] | null {
  const content = isJson(record.message) ? record.message.content : undefined;
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? content : null;
}

export interface ToolResultJson extends Json {
  readonly type: "tool_result";
  readonly tool_use_id: string;
}

/** True for a result that names its call. A result that does not name one is treated as an unknown block. */
export function isToolResult(block: unknown): block is ToolResultJson {
  return isJson(block) && block.type === "tool_result" && typeof block.tool_use_id === "string";
}

/** A call by the agent: `server_tool_use` is run by the vendor, and its result is next to it. */
export function isToolUse(block: unknown): block is Json & { readonly id: string } {
  return isJson(block) && block.type === "tool_use" && typeof block.id === "string";
}

const WRAPPERS =
  /^<(command-name|command-message|command-args|local-command-[a-z]+|system-reminder|bash-input|bash-stdout|bash-stderr|task-notification|user-memory-input)>/u;
const COMPANION = /^\[(Image: source: |Request interrupted by user)/u;

/** Returns the content of a `queued_command` attachment: the person typed it while the agent was at work. */
export function queuedPrompt(record: Json): readonly unknown[] | null {
  if (record.type !== "attachment" || !isJson(record.attachment)) return null;
  const { type, prompt, commandMode } = record.attachment;
  if (type !== "queued_command" || (commandMode !== undefined && commandMode !== "prompt")) return null;
  if (typeof prompt === "string") return [{ type: "text", text: prompt }];
  return Array.isArray(prompt) ? prompt : null;
}

/** An attachment that becomes a message of the user. */
export function isUserAttachment(record: Json): boolean {
  return record.renderedRole === "user" || queuedPrompt(record) !== null;
}

/**
 * Types of attachments that are sent as a message of the user if they come first, even if their `renderedRole` is not
 * `user`.
 */
const REMINDERS: ReadonlySet<unknown> = new Set([
  "environment",
  "model",
  "deferred_tools_delta",
  "agent_listing_delta",
  "skill_listing",
  "session_context",
  "date",
]);

/**
 * Returns true if a conversation can begin with the line: a line of the user that is not a result, or a reminder. A
 * request that begins with anything else is refused (seen in 2.1.330).
 */
export function isSent(record: Json): boolean {
  if (isUserAttachment(record)) return true;
  if (record.type === "attachment") return isJson(record.attachment) && REMINDERS.has(record.attachment.type);
  return record.type === "user" && (contentOf(record) ?? []).some((block) => !isToolResult(block));
}

/**
 * Returns the text that the person typed; `null` if they typed nothing. These are not typed: tool results, texts for
 * the model (`isMeta`), summaries, notifications, slash commands and their output, image companions.
 */
export function typedText(record: Json): string | null {
  const queued = queuedPrompt(record);
  if (queued !== null) return textTypedIn(queued);
  if (record.type !== "user" || record.isMeta === true || record.isCompactSummary === true) return null;
  if (isJson(record.origin) && record.origin.kind !== "human") return null;
  return textTypedIn(contentOf(record) ?? []);
}

function textTypedIn(content: readonly unknown[]): string | null {
  const texts: string[] = [];
  for (const block of content) {
    if (!isJson(block) || block.type === "tool_result") return null;
    if (block.type === "text" && typeof block.text === "string" && isTyped(block.text))
      texts.push(block.text);
  }
  return texts.length === 0 ? null : texts.join("\n\n");
}

function isTyped(text: string): boolean {
  const start = text.trimStart().slice(0, 64);
  return start !== "" && !WRAPPERS.test(start) && !COMPANION.test(start);
}
