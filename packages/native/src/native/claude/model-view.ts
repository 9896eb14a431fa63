/**
 * The messages that Claude Code 2.1.330 sends to the model when it resumes, without the system prompt, tools and
 * reminders that it generates again. Each rule was seen by resuming a hand-written file and reading the request.
 *
 * 1. Everything before the newest compact boundary is left out, except `preservedMessages` (or, without them,
 *    `preservedSegment`), which follow the line that `anchorUuid` names.
 * 2. API errors, system lines, reminders (`MADE_ANEW`) and lines of unknown types are left out. The output of a local
 *    command, `isMeta` lines, slash commands, lines with `isVisibleInTranscriptOnly`, and prompts that were queued
 *    during a turn (`queued_command`) are sent as texts of the user. Attached files are sent before their prompt.
 * 3. Thinking before a `thinking_stripped` attachment of scope `all` is left out; other thinking is sent unchanged.
 * 4. Empty text blocks are left out; in messages of the user, also those with only white space. An answer that has only
 *    thinking or white space is left out; an answer without any block is "(no content)". A prompt without any block is
 *    left out; a prompt whose texts are all empty is "(no content)".
 * 5. Images are left out of failed results.
 * 6. Calls and results: `model-pairs.ts`.
 * 7. If the last message is the user's, the answer "No response requested." is added. It is not added in three cases:
 *    after the output of a local command, after an API error that rule 2 leaves out, and after results that come before
 *    the last line of their answer (2.1.332).
 * 8. Each result that loads tools (`tool_reference`) is followed by "Tool loaded.".
 * 9. The text of a hook (`hookText`) is sent within a reminder.
 *
 * Claude Code joins neighbouring user messages into one; here they stay separate. Claude Code sends a single empty text
 * unchanged if the line has a string, and the API refuses it; here it is "(no content)" in both forms.
 */

import type { Block, Message } from "@continuo/core/model";
import { isJson, type Json, textOfValue } from "@continuo/files";
import { withContent } from "../kit/index.ts";
import { madeMessage, pairCalls } from "./model-pairs.ts";

/** Attachments that Claude Code generates again, or that have no content for the model. */
const MADE_ANEW: ReadonlySet<unknown> = new Set([
  "environment",
  "model",
  "deferred_tools_delta",
  "deferred_tools_record",
  "agent_listing_delta",
  "skill_listing",
  "session_context",
  "date",
  "remote_session_change",
  "prompt_snapshot",
  "auto_mode",
  "thinking_stripped",
]);

/** Pure. */
export function modelView(history: readonly Message[]): Message[] {
  const kept = withoutStrippedThinking(withoutOpenLines(fromCompaction(history)));
  const selected = kept.flatMap(toSent).map(withTextResults).map(withoutLostBlocks);
  const conversation = withLoadedTools(pairCalls(filesBeforePrompts(selected).flatMap(withoutEmptyBlocks)));
  const last = conversation.at(-1);
  if (last === undefined || last.role === "assistant" || isLocalOutput(last)) return conversation;
  if (kept.findLast(isLine)?.origin === "error") return conversation;
  if (last.role === "tool" && placeOfLastAnswer(conversation) === "after results") return conversation;
  return [...conversation, madeMessage(last, "answer", "assistant", "No response requested.")];
}

function placeOfLastAnswer(conversation: readonly Message[]): unknown {
  const answer = conversation.findLast(({ role }) => role === "assistant");
  return answer === undefined ? undefined : flagsOf(answer).place;
}

/**
 * A text block without a text is left out (seen in 2.1.330), and so is a block of an answer whose `type` is not a
 * string (seen in 2.1.332).
 */
function withoutLostBlocks(message: Message): Message {
  const isLost = (block: Block): boolean => {
    if (block.type !== "unknown" || !isJson(block.raw)) return false;
    const { type, text } = block.raw;
    if (typeof type !== "string") return message.role === "assistant";
    return type === "text" && (text ?? null) === null;
  };
  if (!message.content.some(isLost)) return message;
  return withContent(message, (content) => content.filter((block) => !isLost(block)));
}

/** A result that is a number, `true` or `false` is sent as text (seen in 2.1.330). */
function withTextResults(message: Message): Message {
  const [result] = message.content;
  const [only] = result?.type === "tool_result" ? result.content : [];
  if (result?.type !== "tool_result" || only?.type !== "unknown") return message;
  if (typeof only.raw !== "number" && typeof only.raw !== "boolean") return message;
  const content = [{ type: "text", text: String(only.raw) }] as const;
  return withContent(message, () => [{ ...result, content }]);
}

function flagsOf(message: Message): Json {
  return isJson(message.metadata.claude) ? message.metadata.claude : {};
}

function fromCompaction(history: readonly Message[]): Message[] {
  const at = history.findLastIndex((message) => flagsOf(message).subtype === "compact_boundary");
  const boundary = history[at];
  if (boundary === undefined) return [...history];
  const meta = flagsOf(boundary).compactMetadata;
  const rest = history.slice(at + 1);
  const lines = preservedLines(history.slice(0, at), isJson(meta) ? meta : {});
  const named = isJson(meta) && isJson(meta.preservedMessages) ? meta.preservedMessages : {};
  const segment = isJson(meta) && isJson(meta.preservedSegment) ? meta.preservedSegment : {};
  const anchor = named.anchorUuid ?? segment.anchorUuid;
  const anchorAt = rest.findIndex((message) => linesOf(message).some((line) => line.uuid === anchor));
  return [...rest.slice(0, anchorAt + 1), ...lines, ...rest.slice(anchorAt + 1)];
}

interface LineOfMessage {
  readonly uuid: string;
  readonly content: readonly Block[];
}

/** The lines that a message was made of, each with its blocks. */
function linesOf(message: Message): LineOfMessage[] {
  const { uuids, blockCounts } = flagsOf(message);
  if (!Array.isArray(uuids)) return [{ uuid: message.id, content: message.content }];
  let start = 0;
  return uuids.map((uuid, at) => {
    const count: unknown = Array.isArray(blockCounts) ? blockCounts[at] : undefined;
    const end = typeof count === "number" ? start + count : message.content.length;
    const line = { uuid: textOfValue(uuid), content: message.content.slice(start, end) };
    start = end;
    return line;
  });
}

function preservedLines(before: readonly Message[], meta: Json): Message[] {
  const uuids = isJson(meta.preservedMessages) ? meta.preservedMessages.uuids : undefined;
  if (Array.isArray(uuids)) return linesNamed(before, new Set(uuids));
  if (!isJson(meta.preservedSegment)) return [];
  const { headUuid, tailUuid } = meta.preservedSegment;
  const head = before.findIndex((message) => linesOf(message).some((line) => line.uuid === headUuid));
  const tail = before.findLastIndex((message) => linesOf(message).some((line) => line.uuid === tailUuid));
  return head === -1 ? [] : before.slice(head, tail + 1);
}

function linesNamed(before: readonly Message[], uuids: ReadonlySet<unknown>): Message[] {
  return before.flatMap((message) => {
    const lines = linesOf(message);
    return withLines(
      message,
      lines.filter((line) => uuids.has(line.uuid)),
    );
  });
}

/** The part of a message that is in some of its lines. */
function withLines(message: Message, lines: readonly LineOfMessage[]): Message[] {
  const content = lines.flatMap((line) => line.content);
  if (content.length === message.content.length) return [message];
  if (lines.length === 0) return [];
  const uuids = lines.map((line) => line.uuid);
  const blockCounts = lines.map((line) => line.content.length);
  const claude = { ...flagsOf(message), uuids, blockCounts };
  return [{ ...message, content, metadata: { ...message.metadata, claude } }];
}

/** Leaves out lines of answers that have calls but no results for them; all lines of the last answer stay. */
function withoutOpenLines(messages: readonly Message[]): Message[] {
  const answered = new Set(messages.flatMap(({ role, toolCallId }) => (role === "tool" ? toolCallId : [])));
  const last = messages.findLast((message) => message.role !== "tool" && toSent(message).length > 0);
  return messages.flatMap((message) => {
    if (message.role !== "assistant" || message === last) return [message];
    const isKept = ({ content }: LineOfMessage): boolean => {
      const calls = content.filter((block) => block.type === "tool_call" && block.ranBy !== "model");
      return calls.length === 0 || calls.some((call) => "id" in call && answered.has(call.id));
    };
    const lines = linesOf(message);
    return lines.every(isKept) ? [message] : withLines(message, lines.filter(isKept));
  });
}

function withoutStrippedThinking(messages: readonly Message[]): Message[] {
  const at = messages.findLastIndex(isThinkingStripped);
  return messages.map((message, i) => {
    if (i > at || !message.content.some((block) => block.type === "thinking")) return message;
    return withContent(message, (content) => {
      const others = content.filter((block) => block.type !== "thinking");
      return others.length === 0 ? [{ type: "text", text: "" }] : others;
    });
  });
}

function isThinkingStripped(message: Message): boolean {
  if (flagsOf(message).attachment !== "thinking_stripped") return false;
  const block = message.content[0];
  return block?.type === "unknown" && isJson(block.raw) && block.raw.scope === "all";
}

/** True if the message was made neither from an attachment nor from a system line. */
function isLine(message: Message): boolean {
  return message.role !== "system" && flagsOf(message).attachment === undefined;
}

function toSent(message: Message): Message[] {
  const flags = flagsOf(message);
  if (message.origin === "error") return [];
  if (flags.attachment !== undefined) {
    const isSent = !MADE_ANEW.has(flags.attachment) && message.content.some((block) => block.type === "text");
    return isSent ? [{ ...message, role: "user" }] : [];
  }
  if (message.role !== "system") return [withHookLead(message)];
  return isLocalOutput(message) ? [{ ...message, role: "user" }] : [];
}

const HOOK_LEAD = "The text below is the output of a hook";
const ANY_HOOK_LEAD = `${HOOK_LEAD}, not a message from the user.`;

/** The text of a hook is in the file as it was written, and is sent within a reminder that names the hook (2.1.332). */
function withHookLead(message: Message): Message {
  const { hookText, hookTextLead: lead, isMeta } = flagsOf(message);
  const [only, ...others] = message.content;
  if (hookText !== true || isMeta !== true || only?.type !== "text" || others.length > 0) return message;
  const isLead = typeof lead === "string" && lead.startsWith(HOOK_LEAD) && !lead.includes("\n");
  const text = `<system-reminder>\n${isLead ? lead : ANY_HOOK_LEAD}\n${only.text}\n</system-reminder>`;
  return withContent(message, () => [{ type: "text", text }]);
}

function withLoadedTools(messages: readonly Message[]): Message[] {
  const view: Message[] = [];
  const loaded: Message[] = [];
  for (const message of messages) {
    if (message.role !== "tool") view.push(...loaded.splice(0));
    view.push(message);
    if (loadsTools(message)) loaded.push(madeMessage(message, "loaded", "user", "Tool loaded."));
  }
  return [...view, ...loaded];
}

function loadsTools({ content }: Message): boolean {
  return content.some(
    (block) =>
      block.type === "tool_result" &&
      block.content.some(
        (part) => part.type === "unknown" && isJson(part.raw) && part.raw.type === "tool_reference",
      ),
  );
}

function isLocalOutput(message: Message): boolean {
  return flagsOf(message).subtype === "local_command";
}

/** Attachments come after their prompt in the file, but are sent before it. */
function filesBeforePrompts(messages: readonly Message[]): Message[] {
  const sorted: Message[] = [];
  for (const message of messages) {
    const isFile = isAttachedText(message);
    let at = sorted.length;
    while (isFile && at > 0 && isPrompt(sorted[at - 1])) at -= 1;
    sorted.splice(at, 0, message);
  }
  return sorted;
}

function isPrompt(message: Message | undefined): boolean {
  return message?.role === "user" && !isAttachedText(message);
}

function isAttachedText(message: Message): boolean {
  return message.origin === "injected" && flagsOf(message).attachment !== undefined;
}

function withoutEmptyBlocks(message: Message): Message[] {
  if (message.role === "tool") return [withoutImagesOfFailure(message)];
  if (message.role === "user") {
    if (message.content.length === 0) return [];
    return [without(message, isBlank, [{ type: "text", text: "(no content)" }])];
  }
  if (message.content.length === 0)
    return [{ ...message, content: [{ type: "text", text: "(no content)" }] }];
  if (message.content.every(isSilent)) return [];
  return [without(message, (block) => block.type === "text" && block.text === "", [])];
}

function without(message: Message, isLeftOut: (block: Block) => boolean, empty: readonly Block[]): Message {
  if (!message.content.some(isLeftOut)) return message;
  return withContent(message, (content) => {
    const others = content.filter((block) => !isLeftOut(block));
    return others.length === 0 ? empty : others;
  });
}

function isBlank(block: Block): boolean {
  return block.type === "text" && block.text.trim() === "";
}

function isSilent(block: Block): boolean {
  return block.type === "thinking" || isBlank(block);
}

function withoutImagesOfFailure(message: Message): Message {
  const isFailed = message.content.some((block) => block.type === "tool_result" && block.isError);
  if (!isFailed) return message;
  return withContent(message, (content) =>
    content.map((block) => {
      if (block.type !== "tool_result" || !block.isError) return block;
      return { ...block, content: block.content.filter((part) => part.type !== "image") };
    }),
  );
}
