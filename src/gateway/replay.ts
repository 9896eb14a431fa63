/** The history of a session as updates, in the order in which it happened. Ids are the same in every replay. */

import type { SessionUpdate, ToolCallContent } from "@agentclientprotocol/sdk/unstable";
import type { Block, Message, ToolCallBlock, ToolResultBlock } from "@continuo/core/model";
import { typedIn } from "@continuo/core/model";
import type { CallIds } from "./call-ids.ts";
import { contentOfCall, diffsOf, endOf, inputOf, kindOf, locationsOf, titleOfCall } from "./calls.ts";
import { textContent, toContent } from "./content.ts";

export interface ReplayOptions {
  readonly ids: CallIds;
  /** True if the client shows compactions; other clients get their summaries as thoughts. */
  readonly showsCompactions: boolean;
  /** True if the session is open in its agent, so that a call without a result may still be running. */
  readonly isLive: boolean;
  /** The ids of calls without a result, by their ids in the session. Updates after the replay need them. */
  readonly open?: Map<string, string>;
}

/** Leaves out texts that an agent's program inserted, and its notices: they were never part of the conversation. */
export async function* replayOf(
  messages: AsyncIterable<Message> | Iterable<Message>,
  { ids, showsCompactions, isLive, open = new Map() }: ReplayOptions,
): AsyncGenerator<SessionUpdate, void, void> {
  const prompted = new Set<string>();
  for await (const message of messages) {
    const { role, origin, content } = message;
    if (origin === "injected" || origin === "notification" || role === "system") continue;
    if (origin === "summary") {
      yield* summaryOf(message, showsCompactions);
      continue;
    }
    const messageId = role === "user" ? idOfPrompt(message, prompted) : message.id;
    for (const block of content) {
      if (block.type === "tool_call") {
        const toolCallId = ids.begin(block.id);
        open.set(block.id, toolCallId);
        yield { sessionUpdate: "tool_call", ...callOf(block, toolCallId) };
      } else if (block.type === "tool_result") {
        const toolCallId = open.get(block.toolCallId);
        open.delete(block.toolCallId);
        // A result without its call in this history is left out.
        if (toolCallId !== undefined) yield resultOf(block, toolCallId);
      } else if (block.type === "thinking") {
        if (block.text === "") continue;
        for (const part of textContent(block.text)) {
          yield { sessionUpdate: "agent_thought_chunk", content: part, messageId };
        }
      } else {
        const sessionUpdate = role === "user" ? "user_message_chunk" : "agent_message_chunk";
        const said: Block =
          block.type === "text" && role === "user" ? { type: "text", text: typedIn(block) } : block;
        for (const part of toContent([said])) yield { sessionUpdate, content: part, messageId };
      }
    }
  }
  if (isLive) return;
  for (const toolCallId of open.values()) {
    yield { sessionUpdate: "tool_call_update", toolCallId, status: "failed" };
  }
}

/**
 * The prompt of a run has the id of the run, as the answer to `session/prompt` named it. Other messages have their own
 * ids.
 */
function idOfPrompt({ id, metadata: { runId } }: Message, prompted: Set<string>): string {
  if (typeof runId !== "string" || prompted.has(runId)) return id;
  prompted.add(runId);
  return runId;
}

function* summaryOf({ id, content }: Message, isShown: boolean): Generator<SessionUpdate, void, void> {
  const summary = toContent(content);
  if (isShown) {
    yield { sessionUpdate: "compaction_update", compactionId: id, status: "completed", summary };
    return;
  }
  for (const part of summary) {
    yield { sessionUpdate: "agent_thought_chunk", content: part, messageId: id };
  }
}

function callOf({ name, args, rawArgs }: ToolCallBlock, toolCallId: string) {
  const rawInput: unknown = Object.keys(args).length === 0 && rawArgs !== undefined ? rawArgs : args;
  const content: ToolCallContent[] = diffsOf(args, undefined);
  return {
    toolCallId,
    name,
    title: titleOfCall(name, args),
    kind: kindOf(name),
    status: "in_progress" as const,
    locations: locationsOf(args),
    rawInput: inputOf(rawInput),
    ...(content.length === 0 ? {} : { content }),
  };
}

function resultOf({ content, status, isError }: ToolResultBlock, toolCallId: string): SessionUpdate {
  const shown = contentOfCall(content);
  return {
    sessionUpdate: "tool_call_update",
    toolCallId,
    status: endOf(status ?? (isError ? "error" : "ok")),
    // An edit keeps the diff of its call, which the result would otherwise replace.
    ...(shown.length === 0 ? {} : { content: shown }),
  };
}
