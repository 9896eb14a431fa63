/** Converts messages to turns of the protocol. Only this file decides what a client shows for a message. Pure. */

import {
  type Message,
  namedTextOf,
  nameOfBlock,
  type ToolCallBlock,
  type ToolResultBlock,
  textOf,
  typedTextOf,
} from "@continuo/core/model";
import type { WindowMessage } from "@continuo/core/wire/machine";
import { toCall } from "./calls.ts";
import type { EditPlace } from "./edits.ts";
import type { AhpMessage, ChatTurn, ErrorPart, ResponsePart } from "./protocol.ts";

/** The session of the messages, and the folder in which it works. */
export type TurnsPlace = Omit<EditPlace, "part">;

/** Turns in their order. A turn whose beginning is not among the messages has an empty message. */
export function toTurns(messages: readonly WindowMessage[], place: TurnsPlace): readonly ChatTurn[] {
  const groups = new Map<string, WindowMessage[]>();
  for (const one of messages) {
    const group = groups.get(one.turnId);
    if (group === undefined) groups.set(one.turnId, [one]);
    else group.push(one);
  }
  return [...groups].map(([id, group]) => toTurn(id, group, place));
}

function toTurn(id: string, messages: readonly WindowMessage[], place: TurnsPlace): ChatTurn {
  const group = fromQuestion(messages);
  const [first] = group;
  const isAsked = first?.message.role === "user";
  const parts = toParts(isAsked ? group.slice(1) : group, place);
  const times = group.flatMap(({ message }) => message.timestamp ?? []);
  const startedAt = times[0] ?? NO_TIME;
  const last = parts.at(-1);
  return {
    id,
    startedAt,
    message: isAsked ? toAhpMessage(first.message) : { text: "", origin: { kind: "agent" } },
    // An error in the middle of a turn did not end the turn.
    responseParts: parts.map((part) => (part.kind === "error" && part !== last ? toNotice(part) : part)),
    usage: usageOf(group),
    duration: Math.max(0, Date.parse(times.at(-1) ?? startedAt) - Date.parse(startedAt)),
    state: last?.kind === "error" ? "error" : "complete",
  };
}

/** The messages without what the agent injected before the question of a person, which is the message of the turn. */
function fromQuestion(messages: readonly WindowMessage[]): readonly WindowMessage[] {
  const at = messages.findIndex(({ message }) => message.origin !== "injected");
  return at > 0 && messages[at]?.message.role === "user" ? messages.slice(at) : messages;
}

/** The protocol needs a time. A message without a time gets this one. */
const NO_TIME = "1970-01-01T00:00:00.000Z";

function toNotice({ error }: ErrorPart): ResponsePart {
  return { kind: "systemNotification", content: error.message };
}

const ORIGINS: Readonly<Record<string, string>> = {
  agent: "agent",
  injected: "systemNotification",
  summary: "systemNotification",
  notification: "systemNotification",
  error: "systemNotification",
};

function toAhpMessage({ content, origin }: Message): AhpMessage {
  return { text: namedTextOf(content), origin: { kind: ORIGINS[origin ?? "person"] ?? "user" } };
}

function usageOf(group: readonly WindowMessage[]): ChatTurn["usage"] {
  const usages = group.flatMap(({ message }) => message.usage ?? []);
  if (usages.length === 0) return undefined;
  return {
    inputTokens: usages.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
    outputTokens: usages.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
  };
}

/** The parts of an answer in their order; the result of a call is in the part of the call. */
export function toParts(messages: readonly WindowMessage[], place: TurnsPlace): readonly ResponsePart[] {
  const seen: SentCalls = { results: resultsOf(messages), calls: new Set(), place };
  return messages.flatMap((one) => partsOf(one, seen));
}

/** Finds a call and its result by the name of the call's part; `null` if the call or its result is missing. */
export function callOfPart(
  messages: readonly WindowMessage[],
  part: string,
): { readonly call: ToolCallBlock; readonly result: ToolResultBlock } | null {
  const results = resultsOf(messages);
  for (const one of messages)
    for (const [at, call] of one.message.content.entries()) {
      if (call.type !== "tool_call" || partName(one, at) !== part) continue;
      const result = results.get(call.id);
      if (result !== undefined) return { call, result };
    }
  return null;
}

function resultsOf(messages: readonly WindowMessage[]): ReadonlyMap<string, ToolResultBlock> {
  const results = new Map<string, ToolResultBlock>();
  for (const { message } of messages)
    for (const block of message.content)
      if (block.type === "tool_result") results.set(block.toolCallId, block);
  return results;
}

interface SentCalls {
  readonly results: ReadonlyMap<string, ToolResultBlock>;
  /** The ids of calls that were sent. */
  readonly calls: Set<string>;
  readonly place: TurnsPlace;
}

function partsOf(one: WindowMessage, { results, calls, place }: SentCalls): readonly ResponsePart[] {
  const { message } = one;
  if (message.origin === "injected") return [];
  if (message.origin === "error") return [toErrorPart(textOf(message.content))];
  const isAnswer = message.role === "assistant" && message.origin !== "summary";
  if (!isAnswer || message.origin === "notification") {
    const text = message.role === "tool" ? "" : typedTextOf(message.content);
    return text === "" ? [] : [{ kind: "systemNotification", content: text }];
  }
  return message.content.flatMap((block, at): readonly ResponsePart[] => {
    const id = partName(one, at);
    switch (block.type) {
      case "text":
        return block.text === "" ? [] : [{ kind: "markdown", id, content: block.text }];
      case "thinking":
        return block.text === "" ? [] : [{ kind: "reasoning", id, content: block.text }];
      case "tool_call": {
        // An agent can give the same id to several calls of a session.
        const toolCallId = calls.has(block.id) ? `${block.id}.${id}` : block.id;
        calls.add(block.id);
        const result = results.get(block.id);
        const facts = { toolCallId, call: block, result, place: { ...place, part: id } };
        return [{ kind: "toolCall", toolCall: toCall(facts) }];
      }
      default:
        return nameOfBlock(block).map((content) => ({ kind: "markdown", id, content }));
    }
  });
}

function partName(one: WindowMessage, at: number): string {
  return `${keyOf(one)}.${at}`;
}

/** Returns the same key for a running message and for that message in the history. */
function keyOf({ message }: WindowMessage): string {
  const { sequence } = message.metadata;
  return typeof sequence === "number" ? `s${sequence}` : message.id;
}

export function toErrorPart(message: string): ErrorPart {
  return { kind: "error", error: { errorType: "agent", message } };
}
