/**
 * Converts an answer to events of the protocol, and to the messages that a client makes of them. The input is the
 * chunks that `useChat` gets, so both show the same text after another attempt. Pure.
 */

import type { UIChunk } from "@continuo/server/runtime";
import type { AgUiEvent, Message, ToolCall } from "./events.ts";

type Kind = "text" | "reasoning";

interface AnswerMessage {
  readonly id: string;
  readonly role: "assistant" | "reasoning" | "tool";
  content?: string;
  toolCalls?: ToolCall[];
  toolCallId?: string;
  metadata?: Readonly<Record<string, unknown>>;
}

/** Makes ids of calls unique in a thread, because an agent may use the same ids again in its next answer. */
export class CallIds {
  readonly #used = new Set<string>();

  take(toolCallId: string, runId: string): string {
    const id = this.#used.has(toolCallId) ? `${toolCallId}-${runId}` : toolCallId;
    this.#used.add(id);
    return id;
  }
}

export class Answer {
  readonly #runId: string;
  readonly #callIds: CallIds;
  #messages: AnswerMessage[] = [];
  /** The ids of the texts of the open step, which are removed if another attempt begins. */
  #said: string[] = [];
  readonly #calls = new Map<unknown, string>();
  #open: { readonly kind: Kind; readonly message: AnswerMessage } | null = null;
  /** True if something that was already sent has changed. */
  isChanged = false;

  constructor(runId: string, callIds: CallIds) {
    this.#runId = runId;
    this.#callIds = callIds;
  }

  messages(): readonly Message[] {
    return this.#messages as readonly Message[];
  }

  callIdOf(toolCallId: string | undefined): string | undefined {
    return this.#calls.get(toolCallId);
  }

  /** Opens the message in progress again, for a reader who has its earlier parts. */
  reopening(): readonly AgUiEvent[] {
    return this.#open === null ? [] : beginOf(this.#open.kind, this.#open.message.id);
  }

  /** Ends the message, for a reader who receives nothing more of it now. */
  closing(): readonly AgUiEvent[] {
    return this.#open === null ? [] : endOf(this.#open.kind, this.#open.message.id);
  }

  take(chunk: UIChunk): readonly AgUiEvent[] {
    switch (chunk.type) {
      case "start-step":
        this.#said = [];
        return [];
      case "reset-step":
        return this.#reset();
      case "text-start":
        return this.#begin("text", chunk);
      case "reasoning-start":
        return this.#begin("reasoning", chunk);
      case "text-delta":
      case "reasoning-delta":
        return this.#say(String(chunk.delta));
      case "text-end":
      case "reasoning-end": {
        const events = this.closing();
        this.#open = null;
        return events;
      }
      case "tool-input-available":
        return this.#call(chunk);
      case "tool-output-available":
        return this.#result(chunk, textOf(chunk.output));
      case "tool-output-error":
        return this.#result(chunk, String(chunk.errorText), "failed");
      case "tool-output-denied":
        return this.#result(chunk, "The call was denied.", "denied");
      default:
        return [];
    }
  }

  /**
   * A client cannot remove one message, so it gets all messages again. Even then it would keep the thinking, so the
   * thinking is not removed here either.
   */
  #reset(): readonly AgUiEvent[] {
    const gone = this.#said;
    this.#said = [];
    if (gone.length === 0) return [];
    this.#messages = this.#messages.filter(({ id }) => !gone.includes(id));
    this.isChanged = true;
    return [];
  }

  #begin(kind: Kind, chunk: UIChunk): readonly AgUiEvent[] {
    const id = `${this.#runId}-${chunk.id}`;
    const message: AnswerMessage = { id, role: kind === "text" ? "assistant" : "reasoning", content: "" };
    this.#messages.push(message);
    if (kind === "text") this.#said.push(id);
    this.#open = { kind, message };
    return beginOf(kind, id);
  }

  #say(delta: string): readonly AgUiEvent[] {
    if (this.#open === null) return [];
    const { kind, message } = this.#open;
    message.content += delta;
    const type = kind === "text" ? "TEXT_MESSAGE_CONTENT" : "REASONING_MESSAGE_CONTENT";
    return [{ type, messageId: message.id, delta }];
  }

  #call({ toolCallId, toolName, input }: UIChunk): readonly AgUiEvent[] {
    const id = this.#callIds.take(String(toolCallId), this.#runId);
    this.#calls.set(toolCallId, id);
    const name = String(toolName);
    const call: ToolCall = {
      id,
      type: "function",
      function: { name, arguments: JSON.stringify(input ?? {}) },
    };
    const last = this.#messages.at(-1);
    const parent = last?.role === "assistant" ? last : this.#silent();
    parent.toolCalls = [...(parent.toolCalls ?? []), call];
    return [
      { type: "TOOL_CALL_START", toolCallId: id, toolCallName: name, parentMessageId: parent.id },
      { type: "TOOL_CALL_ARGS", toolCallId: id, delta: call.function.arguments },
      { type: "TOOL_CALL_END", toolCallId: id },
    ];
  }

  /** Adds a message that has only calls. */
  #silent(): AnswerMessage {
    const message: AnswerMessage = { id: `${this.#runId}-calls-${this.#calls.size}`, role: "assistant" };
    this.#messages.push(message);
    return message;
  }

  #result({ toolCallId }: UIChunk, content: string, status?: string): readonly AgUiEvent[] {
    const callId = this.#calls.get(toolCallId);
    if (callId === undefined) return [];
    const metadata = status === undefined ? {} : { metadata: { status } };
    const message: AnswerMessage = {
      id: `${callId}-result`,
      role: "tool",
      toolCallId: callId,
      content,
      ...metadata,
    };
    const known = this.#messages.findIndex(({ id }) => id === message.id);
    if (known !== -1) {
      this.#messages[known] = message;
      this.isChanged = true;
      return [];
    }
    // A client puts results after the call, even if other messages came in between.
    let place = this.#messages.findIndex(({ toolCalls }) => toolCalls?.some(({ id }) => id === callId)) + 1;
    while (this.#messages[place]?.role === "tool") place++;
    this.#messages.splice(place, 0, message);
    return [
      {
        type: "TOOL_CALL_RESULT",
        messageId: message.id,
        toolCallId: callId,
        content,
        role: "tool",
        ...metadata,
      },
    ];
  }
}

function beginOf(kind: Kind, messageId: string): readonly AgUiEvent[] {
  if (kind === "text") return [{ type: "TEXT_MESSAGE_START", messageId, role: "assistant" }];
  return [
    { type: "REASONING_START", messageId },
    { type: "REASONING_MESSAGE_START", messageId, role: "reasoning" },
  ];
}

function endOf(kind: Kind, messageId: string): readonly AgUiEvent[] {
  if (kind === "text") return [{ type: "TEXT_MESSAGE_END", messageId }];
  return [
    { type: "REASONING_MESSAGE_END", messageId },
    { type: "REASONING_END", messageId },
  ];
}

function textOf(output: unknown): string {
  return typeof output === "string" ? output : JSON.stringify(output ?? null);
}
