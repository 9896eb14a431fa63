/**
 * The messages that Copilot sends to the model when it resumes a session: only the conversation. Pure.
 *
 * Rules of 1.0.102, in this order; `npm run test:agents` compares the whole with real requests.
 *
 * 1. A line with bytes that are not UTF-8 is ignored. Everything before the last `session.context_cleared` is left out.
 * 2. Before the last compaction, everything except the texts of prompts is left out; prompts before an earlier
 *    compaction are sent too. The summary and the rest follow.
 * 3. System messages, notifications and errors are left out: Copilot declares its prompt and tools again.
 * 4. Results follow the answer with their calls, in the order of the calls. If a call has two results, only the first
 *    counts; a result without a call is left out. A call without a result gets one, which is an error.
 * 5. Thinking is left out if it has no blocks of the vendor or no signature, or if its answer follows another answer to
 *    the same request. The API decides whether other thinking is sent.
 * 6. A prompt is sent in its transformed form, without the time that Copilot writes before it.
 * 7. A function that was called with anything but an object is sent as called with an empty one.
 * 8. Answers that are then empty are left out.
 *
 * Copilot adds its own sentences around summaries, commands of the person and pictures; these are left out here.
 */

import type { Block, Message, ToolCallBlock } from "@continuo/core/model";
import { isJson, type Json, textField } from "@continuo/files";
import { withContent } from "../kit/index.ts";

/** The text in place of a missing result; Copilot itself sends its own text there. */
export const NO_RESULT = "[No result of this call was recorded.]";

const TIME = /^<current_datetime>[^<]*<\/current_datetime>\s*/u;

export function modelView(history: readonly Message[]): Message[] {
  const read = history.filter((message) => copilotOf(message).lostOnResume !== true);
  const sent = compacted(sinceCleared(read)).filter(isSent);
  return withResults(sent.map(withSentThoughts).map(withObjectInputs).map(asSent)).filter(holdsSomething);
}

function sinceCleared(history: readonly Message[]): readonly Message[] {
  return history.slice(history.findLastIndex((message) => typeOf(message) === "session.context_cleared") + 1);
}

function compacted(history: readonly Message[]): readonly Message[] {
  const at = history.findLastIndex((message) => message.origin === "summary");
  if (at === -1) return history;
  const prompts = history.slice(0, at).filter(isPrompt).map(inWords);
  return [...prompts.filter(({ content }) => content.length > 0), ...history.slice(at)];
}

function isPrompt(message: Message): boolean {
  return message.role === "user" && message.origin !== "summary" && typeOf(message) === undefined;
}

function inWords(message: Message): Message {
  return withContent(message, (content) => content.filter((block) => block.type === "text"));
}

function isSent({ role, origin }: Message): boolean {
  return role !== "system" && origin !== "notification" && origin !== "error";
}

function withSentThoughts(message: Message, at: number, all: readonly Message[]): Message {
  const isSent = isSecondPart(message, all[at - 1])
    ? (block: Block): boolean => block.type !== "thinking"
    : isSealed;
  if (message.role !== "assistant" || message.content.every(isSent)) return message;
  return withContent(message, (content) => content.filter(isSent));
}

function isSecondPart(message: Message, before: Message | undefined): boolean {
  const request = textField(copilotOf(message), "apiCallId");
  if (before?.role !== "assistant" || request === undefined) return false;
  return textField(copilotOf(before), "apiCallId") === request;
}

function isSealed(block: Block): boolean {
  if (block.type !== "thinking") return true;
  return block.signedBy !== undefined && (block.redacted === true || block.signature !== undefined);
}

function withObjectInputs(message: Message): Message {
  if (!message.content.some(isOddCall)) return message;
  return withContent(message, (content) =>
    content.map((block) => (isOddCall(block) ? withEmptyInput(block) : block)),
  );
}

function withEmptyInput({ rawArgs: _, ...call }: ToolCallBlock): ToolCallBlock {
  return { ...call, args: {} };
}

/** The input of a call of the type `custom` is a text. */
function isOddCall(block: Block): block is ToolCallBlock {
  if (block.type !== "tool_call" || block.rawArgs === undefined) return false;
  return !(isJson(block.native) && block.native.type === "custom");
}

function asSent(message: Message): Message {
  const sent = textField(copilotOf(message), "transformedContent")?.replace(TIME, "");
  const said = message.content.find((block) => block.type === "text");
  if (message.role !== "user" || sent === undefined || said === undefined || said.text === sent)
    return message;
  return withContent(message, (content) =>
    content.map((block) => (block === said ? { ...said, text: sent } : block)),
  );
}

function withResults(messages: readonly Message[]): Message[] {
  const results = new Map<string, Message>();
  for (const message of messages) {
    const { role, toolCallId } = message;
    if (role === "tool" && toolCallId !== undefined && !results.has(toolCallId))
      results.set(toolCallId, message);
  }
  const seen = new Set<string>();
  return messages.flatMap((message) => {
    if (message.role === "tool") return [];
    const calls = message.content.filter(
      (block): block is ToolCallBlock => block.type === "tool_call" && !seen.has(block.id),
    );
    for (const { id } of calls) seen.add(id);
    return [message, ...calls.map((call) => results.get(call.id) ?? missingResult(call, message))];
  });
}

function missingResult(call: ToolCallBlock, caller: Message): Message {
  const text: Block = { type: "text", text: NO_RESULT };
  return {
    id: `${caller.id}#${call.id}`,
    role: "tool",
    content: [{ type: "tool_result", toolCallId: call.id, content: [text], isError: true, status: "error" }],
    toolCallId: call.id,
    toolName: call.name,
    toolInput: call.args,
    toolOutput: NO_RESULT,
    metadata: {},
  };
}

function holdsSomething(message: Message): boolean {
  return message.role !== "assistant" || message.content.some((block) => block.type !== "thinking");
}

function typeOf(message: Message): unknown {
  return copilotOf(message).type;
}

function copilotOf(message: Message): Json {
  return isJson(message.metadata.copilot) ? message.metadata.copilot : {};
}
