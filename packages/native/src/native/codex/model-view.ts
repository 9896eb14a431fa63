/** The messages that Codex sends to the model when it resumes a session. Pure. */

import type { Block, Message, ToolCallBlock } from "@continuo/core/model";
import { isJson, type Json, textOfValue } from "@continuo/files";
import { kindOfItem } from "./items.ts";

/**
 * Rules, each seen in 0.169.0:
 * - messages, reasoning, calls and results go in the order of the file, as they are; so do notes of
 *   interrupted turns and messages between agents
 * - what only the interface received is left out: shown texts without an item, errors, notifications
 * - messages of role `system` are not sent. Messages of role `developer`, the environment, instructions and
 *   tool definitions are sent, but are left out here: they are no conversation
 * - a compaction with a replacement takes the place of everything before it; one with a message alone leaves
 *   what was said by the user, and the message follows as a text of the user
 * - a call without a result gets the result `aborted`, right after the call
 * - a result without a call is left out; one that names no call is sent as it is
 * - a line with a field in a form that Codex does not read is left out (`forms.ts`), and is no message here either
 * - nothing is sent of what stands before a second header in a paginated file
 *
 * Not done here: Codex cuts a long result (48 kB was sent whole, 180 kB was not), unless its record carries
 * `metadata.fallback_token_limit_override`. The result stands here in full.
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

/** It lies in the record of the compaction. */
function inPlaceOf({ metadata: { records } }: Message, replacement: Message): Message {
  return { ...replacement, metadata: { ...replacement.metadata, ...(records && { records }) } };
}

/** `undefined` for a message that is itself part of a replacement, `null` for a compaction without one. */
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
 * A message is parted after a call without a result, so that the result stands between the parts. The first part keeps
 * the id of the message; further ones name it in `metadata.codex.partOf`.
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
