/** Messages as turns of the protocol: the one table from what Continuo reads to what a client shows. Pure. */

import {
  type Block,
  cutText,
  type Message,
  present,
  shorten,
  type ToolResultBlock,
  type ToolStatus,
  textOf,
  typedTextOf,
} from "@continuo/core/model";
import { mainArgument } from "@continuo/core/transcript";
import type { WindowMessage } from "@continuo/core/wire/machine";
import { LIMITS } from "./limits.ts";
import type { AhpMessage, ErrorPart, ResponsePart, ToolCall, ToolResult, Turn } from "./protocol.ts";

/** Turns in their order. A turn whose beginning is not among the messages has an empty message. */
export function toTurns(messages: readonly WindowMessage[]): readonly Turn[] {
  const groups = new Map<string, WindowMessage[]>();
  for (const one of messages) {
    const group = groups.get(one.turnId);
    if (group === undefined) groups.set(one.turnId, [one]);
    else group.push(one);
  }
  return [...groups].map(([id, group]) => toTurn(id, group));
}

function toTurn(id: string, group: readonly WindowMessage[]): Turn {
  const [first] = group;
  const isAsked = first?.message.role === "user";
  const parts = toParts(isAsked ? group.slice(1) : group);
  const times = group.flatMap(({ message }) => message.timestamp ?? []);
  const startedAt = times[0] ?? NO_TIME;
  const last = parts.at(-1);
  return {
    id,
    startedAt,
    message: isAsked ? toAhpMessage(first.message) : { text: "", origin: { kind: "agent" } },
    // An error in the middle of a turn did not end it.
    responseParts: parts.map((part) => (part.kind === "error" && part !== last ? toNotice(part) : part)),
    usage: usageOf(group),
    duration: Math.max(0, Date.parse(times.at(-1) ?? startedAt) - Date.parse(startedAt)),
    state: last?.kind === "error" ? "error" : "complete",
  };
}

/** The protocol wants a time: that of a message whose agent notes none. */
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
  const shown = [typedTextOf(content), ...content.flatMap(nameOfBlock)].filter((text) => text !== "");
  return { text: shown.join("\n\n"), origin: { kind: ORIGINS[origin ?? "person"] ?? "user" } };
}

function usageOf(group: readonly WindowMessage[]): Turn["usage"] {
  const usages = group.flatMap(({ message }) => message.usage ?? []);
  if (usages.length === 0) return undefined;
  return {
    inputTokens: usages.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
    outputTokens: usages.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
  };
}

/** The parts of an answer in their order; the result of a call is in the part of the call. */
export function toParts(messages: readonly WindowMessage[]): readonly ResponsePart[] {
  const results = new Map<string, ToolResultBlock>();
  for (const { message } of messages)
    for (const block of message.content)
      if (block.type === "tool_result") results.set(block.toolCallId, block);
  const calls = new Set<string>();
  return messages.flatMap((one) => partsOf(one, results, calls));
}

function partsOf(
  one: WindowMessage,
  results: ReadonlyMap<string, ToolResultBlock>,
  calls: Set<string>,
): readonly ResponsePart[] {
  const { message } = one;
  if (message.origin === "injected") return [];
  if (message.origin === "error") return [toErrorPart(textOf(message.content))];
  const isAnswer = message.role === "assistant" && message.origin !== "summary";
  if (!isAnswer || message.origin === "notification") {
    const text = message.role === "tool" ? "" : typedTextOf(message.content);
    return text === "" ? [] : [{ kind: "systemNotification", content: text }];
  }
  return message.content.flatMap((block, at): readonly ResponsePart[] => {
    const id = `${keyOf(one)}.${at}`;
    switch (block.type) {
      case "text":
        return block.text === "" ? [] : [{ kind: "markdown", id, content: block.text }];
      case "thinking":
        return block.text === "" ? [] : [{ kind: "reasoning", id, content: block.text }];
      case "tool_call": {
        // Agents give one id to several calls of a session.
        const toolCallId = calls.has(block.id) ? `${block.id}.${id}` : block.id;
        calls.add(block.id);
        const { name, args, rawArgs } = block;
        const input = rawArgs ?? JSON.stringify(args);
        const result = results.get(block.id);
        return [{ kind: "toolCall", toolCall: toCall({ toolCallId, name, args, input, result }) }];
      }
      default:
        return nameOfBlock(block).map((content) => ({ kind: "markdown", id, content }));
    }
  });
}

/** The same for a message that runs and for the one in the history. */
function keyOf({ message }: WindowMessage): string {
  const { sequence } = message.metadata;
  return typeof sequence === "number" ? `s${sequence}` : message.id;
}

function nameOfBlock(block: Block): readonly string[] {
  if (block.type === "image") return [`[picture, ${block.mimeType}]`];
  if (block.type === "file") return [`[file ${block.name ?? block.mimeType}]`];
  return [];
}

export function toErrorPart(message: string): ErrorPart {
  return { kind: "error", error: { errorType: "agent", message } };
}

interface CallFacts {
  readonly toolCallId: string;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly input: string;
  readonly result: ToolResultBlock | undefined;
}

function toCall({ toolCallId, name, args, input, result }: CallFacts): ToolCall {
  const about = mainArgument(args);
  const invocationMessage =
    about === null ? name : shorten(`${name}: ${about}`.replaceAll(/\s+/gu, " "), LIMITS.titleChars);
  const base = {
    toolCallId,
    toolName: name,
    displayName: name,
    invocationMessage,
    toolInput: cutText(input, LIMITS.callChars),
    confirmed: "not-needed",
  };
  if (result === undefined) return { ...base, status: "running" };
  return { ...base, status: "completed", ...toResult(result, invocationMessage) };
}

const ENDS: Readonly<Record<ToolStatus, string | null>> = {
  ok: null,
  error: "the call failed",
  denied: "the call was denied",
  cancelled: "the call was cancelled",
  interrupted: "the call was interrupted",
};

function toResult({ content, isError, status }: ToolResultBlock, message: string): ToolResult {
  const text = [textOf(content), ...content.flatMap(nameOfBlock)].filter((one) => one !== "").join("\n\n");
  const end = ENDS[status ?? (isError ? "error" : "ok")];
  return {
    success: end === null,
    pastTenseMessage: message,
    ...present({
      content: text === "" ? undefined : [{ type: "text" as const, text: cutText(text, LIMITS.callChars) }],
      error: end === null ? undefined : { message: end },
    }),
  };
}
