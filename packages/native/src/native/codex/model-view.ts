/** The messages that Codex sends to its model when it resumes a session. Pure. */

import type { Block, Message, ToolCallBlock } from "@continuo/core/model";
import { isJson, type Json, textOfValue } from "@continuo/files";
import { kindOfItem } from "./items.ts";

/**
 * Follows these rules, which were observed in 0.169.0:
 * - Messages, reasoning, calls and results are sent unchanged, in the order of the file. So are notes of interrupted
 *   turns, and messages between agents.
 * - Items that only the interface received are left out: texts without an item, errors, notifications.
 * - Messages of role `system` are not sent. Codex sends messages of role `developer`, the environment, instructions and
 *   tool definitions; they are left out here, because they are not a part of the conversation.
 * - A compaction with a replacement replaces everything before it. A compaction with only a message keeps what the user
 *   said, and adds its message as a text of the user.
 * - A call without a result receives the result `aborted`, directly after the call.
 * - A result without a call is left out. A result that names no call is sent unchanged.
 * - A line with a field in a form that Codex does not read is left out (`forms.ts`), and is not a message here.
 * - In a paginated file, everything before a second header is left out.
 *
 * One difference: Codex cuts a long result (48 kB was sent in full, 180 kB was not), unless its record contains
 * `metadata.fallback_token_limit_override`. The result here is complete.
 */
export function modelView(history: readonly Message[]): Message[] {
  return pairUp(compact(history).filter(isSent));
}

function isSent(message: Message): boolean {
  if (message.role === "system" || isDisplayOnly(message)) return false;
  if (message.origin !== "injected") return message.origin !== "notification" && message.origin !== "error";
  return message.content.every((block) => {
    if (block.type === "text") return !INSTRUCTIONS.test(block.text);
    return block.type !== "unknown" || (isJson(block.raw) && isReplayed(block.raw));
  });
}

const INSTRUCTIONS =
  /^\s*(?:<(?:environment_context|user_instructions|skills_instructions)>|# AGENTS\.md instructions)/u;

const TOOLS: ReadonlySet<string> = new Set(["additional_tools", "configuration_update"]);

/** An item of a type that Codex does not know is left out. */
function isReplayed(item: Json): boolean {
  return kindOfItem(item) !== null && !TOOLS.has(textOfValue(item.type));
}

function flagsOf({ metadata: { codex } }: Message): Json {
  return isJson(codex) ? codex : {};
}

function isDisplayOnly(message: Message): boolean {
  return flagsOf(message).displayOnly === true;
}

function compact(history: readonly Message[]): Message[] {
  let view: Message[] = [];
  for (const message of history) {
    const replacement = message.origin === "summary" ? replacementOf(message) : undefined;
    if (flagsOf(message).startsOver === true) view = [];
    else if (replacement === undefined) view.push(message);
    else if (replacement !== null) view = replacement.map((each) => inPlaceOf(message, each));
    else view = [...view.filter(isOfUser), message];
  }
  return view;
}

/** Gives a message of the replacement the records of its compaction, in which it is stored. */
function inPlaceOf({ metadata: { records } }: Message, replacement: Message): Message {
  return { ...replacement, metadata: { ...replacement.metadata, ...(records && { records }) } };
}

/** Returns `undefined` for a message that is a part of a replacement, and `null` for a compaction without one. */
function replacementOf({ metadata: { codex, records } }: Message): readonly Message[] | null | undefined {
  if (records === undefined) return undefined;
  const replacement = isJson(codex) ? codex.replacement : undefined;
  return Array.isArray(replacement) ? (replacement as Message[]) : null;
}

function isOfUser(message: Message): boolean {
  if (message.role !== "user" || isDisplayOnly(message)) return false;
  return message.origin === "person" || message.origin === "summary";
}

function pairUp(messages: readonly Message[]): Message[] {
  const answered = new Set(messages.flatMap(({ toolCallId }) => toolCallId ?? []));
  const called = new Set(messages.flatMap(({ content }) => content.flatMap(callIdOf)));
  return messages.flatMap((message) => {
    if (message.role !== "tool") return withAborted(message, answered);
    return called.has(message.toolCallId ?? "") ? [message] : [];
  });
}

function callIdOf(block: Block): string[] {
  return block.type === "tool_call" ? [block.id] : [];
}

/**
 * Splits a message after each call without a result, and puts an `aborted` result between the parts. The first part
 * keeps the id of the message; the others name it in `metadata.codex.partOf`.
 */
function withAborted(message: Message, answered: ReadonlySet<string>): Message[] {
  const parts: Message[] = [];
  let content: Block[] = [];
  const toPart = (): Message =>
    parts.length === 0
      ? { ...message, content }
      : {
          ...message,
          id: `${message.id}.${parts.length}`,
          content,
          metadata: { ...message.metadata, codex: { ...flagsOf(message), partOf: message.id } },
        };
  for (const block of message.content) {
    content.push(block);
    if (block.type !== "tool_call" || block.ranBy === "model" || answered.has(block.id)) continue;
    parts.push(toPart(), toAborted(message, block));
    content = [];
  }
  if (parts.length === 0) return [message];
  return content.length === 0 ? parts : [...parts, toPart()];
}

function toAborted(message: Message, { id, name, args }: ToolCallBlock): Message {
  const content = [{ type: "text", text: "aborted" }] as const;
  return {
    id: `${message.id}.${id}.aborted`,
    role: "tool",
    toolCallId: id,
    toolName: name,
    toolInput: args,
    toolOutput: "aborted",
    content: [{ type: "tool_result", toolCallId: id, content, isError: true, status: "interrupted" }],
    metadata: {},
  };
}
