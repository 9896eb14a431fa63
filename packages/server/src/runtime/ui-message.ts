/** The events of a run as the UI message stream of the AI SDK (version 1), for `useChat`. Pure, but for the response. */

import type { Block, KnownEvent } from "@continuo/core/model";
import { textOf } from "@continuo/core/model";
import { streamResponse } from "./sse.ts";

/** A chunk of the stream, as `uiMessageChunkSchema` of the package `ai` has it. */
export interface UIChunk {
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface UIFold {
  take(event: KnownEvent): readonly UIChunk[];
  /** Closes what is open, and says how it ended. */
  end(): readonly UIChunk[];
}

type Kind = "text" | "reasoning";

interface OpenPart {
  readonly id: string;
  readonly kind: Kind;
}

const FINISH: Readonly<Record<string, string>> = {
  stop: "stop",
  end_turn: "stop",
  length: "length",
  max_tokens: "length",
  "content-filter": "content-filter",
  refusal: "content-filter",
  "tool-calls": "tool-calls",
  max_steps: "tool-calls",
  error: "error",
};

/** The part of text or thinking that is open, and what was said already. */
class Speech {
  #open: OpenPart | null = null;
  #count = 0;
  /** The messages that were streamed: the complete message is not shown again. */
  readonly streamed = new Set<string>();

  close(): UIChunk[] {
    if (this.#open === null) return [];
    const { id, kind } = this.#open;
    this.#open = null;
    return [{ type: `${kind}-end`, id }];
  }

  say(kind: Kind, text: string): UIChunk[] {
    if (text === "") return [];
    const before = this.#open?.kind === kind ? [] : this.close();
    if (this.#open === null) {
      this.#count++;
      this.#open = { id: `${kind}-${this.#count}`, kind };
      before.push({ type: `${kind}-start`, id: this.#open.id });
    }
    return [...before, { type: `${kind}-delta`, id: this.#open.id, delta: text }];
  }
}

function createUIFold(messageId: string): UIFold {
  const speech = new Speech();
  const called = new Set<string>();
  const begin = [{ type: "start", messageId }, { type: "start-step" }];
  let isBegun = false;
  let finish: UIChunk = { type: "finish", finishReason: "stop" };
  return {
    take(event) {
      finish = finishOf(event) ?? finish;
      const chunks = [...speechOf(event, speech), ...toolsOf(event, speech, called)];
      if (isBegun || (chunks.length === 0 && event.type !== "run_started")) return chunks;
      isBegun = true;
      return [...begin, ...chunks];
    },
    end: () => [...(isBegun ? [] : begin), ...speech.close(), { type: "finish-step" }, finish],
  };
}

function speechOf(event: KnownEvent, speech: Speech): readonly UIChunk[] {
  if (event.type === "message_streamed") {
    const { messageId, kind, delta } = event.data;
    speech.streamed.add(messageId);
    return speech.say(kind === "thinking" ? "reasoning" : "text", delta);
  }
  if (event.type !== "message_received") return [];
  const { content, messageId = "" } = event.data;
  const blocks: readonly Block[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const parts = speech.streamed.has(messageId) ? [] : blocks.flatMap((block) => partsOf(block, speech));
  return [...parts, ...speech.close()];
}

/** Chunks of a call that was not shown would be an error of the reader. */
function toolsOf(event: KnownEvent, speech: Speech, called: Set<string>): readonly UIChunk[] {
  switch (event.type) {
    case "tool_call_started": {
      const { toolCallId, toolName, toolInput = {} } = event.data;
      if (called.has(toolCallId)) return [];
      called.add(toolCallId);
      return [...speech.close(), { type: "tool-input-available", toolCallId, toolName, input: toolInput }];
    }
    case "approval_requested": {
      const { approvalId, toolCallId = "" } = event.data;
      return called.has(toolCallId) ? [{ type: "tool-approval-request", approvalId, toolCallId }] : [];
    }
    case "tool_call_completed": {
      const { toolCallId, toolOutput = null } = event.data;
      if (!called.has(toolCallId)) return [];
      return [{ type: "tool-output-available", toolCallId, output: outputOf(toolOutput) }];
    }
    case "tool_call_failed": {
      const { toolCallId, error, status } = event.data;
      if (!called.has(toolCallId)) return [];
      if (status === "denied") return [{ type: "tool-output-denied", toolCallId }];
      return [{ type: "tool-output-error", toolCallId, errorText: wordsOf(error) || (status ?? "failed") }];
    }
    default:
      return [];
  }
}

/** The last chunk, as the run has ended so far; another attempt may follow. */
function finishOf(event: KnownEvent): UIChunk | undefined {
  switch (event.type) {
    case "run_completed": {
      const { stopReason } = (event.data.result ?? {}) as { readonly stopReason?: string };
      return { type: "finish", finishReason: FINISH[stopReason ?? "stop"] ?? "other" };
    }
    case "run_failed":
      return { type: "error", errorText: wordsOf(event.data.error) || "The run failed." };
    case "run_cancelled":
    case "run_interrupted":
    case "run_timed_out":
      return { type: "abort", reason: event.type };
    default:
      return undefined;
  }
}

function partsOf(block: Block, speech: Speech): readonly UIChunk[] {
  if (block.type === "text") return speech.say("text", block.text);
  if (block.type === "thinking") return speech.say("reasoning", block.text);
  if (block.type !== "image" && block.type !== "file") return [];
  const url =
    block.url ?? (block.data === undefined ? undefined : `data:${block.mimeType};base64,${block.data}`);
  return url === undefined ? [] : [{ type: "file", mediaType: block.mimeType, url }];
}

/** A result in blocks is its text, where it is only text. */
function outputOf(output: unknown): unknown {
  if (!Array.isArray(output) || !output.every((block: Block | null) => block?.type === "text")) return output;
  return textOf(output as readonly Block[]);
}

function wordsOf(error: unknown): string {
  if (typeof error === "string") return error;
  if (Array.isArray(error)) return textOf(error as readonly Block[]);
  const { message } = (error ?? {}) as { readonly message?: unknown };
  return typeof message === "string" ? message : error === undefined ? "" : JSON.stringify(error);
}

const HEADERS: Readonly<Record<string, string>> = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache",
  "x-accel-buffering": "no",
  "x-vercel-ai-ui-message-stream": "v1",
};

/** A reader that goes away ends the stream, and never the run. */
export function toUIMessageResponse(
  messageId: Promise<string>,
  open: (signal: AbortSignal) => AsyncIterable<KnownEvent>,
): Response {
  return streamResponse({ signal: undefined, headers: HEADERS, keepAlive: ":\n\n" }, async function* (over) {
    let fold: UIFold | null = null;
    try {
      fold = createUIFold(await messageId);
      for await (const event of open(over)) {
        for (const chunk of fold.take(event)) yield lineOf(chunk);
      }
      for (const chunk of fold.end()) yield lineOf(chunk);
    } catch (error) {
      yield lineOf({ type: "error", errorText: wordsOf(error) });
    }
    yield "data: [DONE]\n\n";
  });
}

function lineOf(chunk: UIChunk): string {
  return `data: ${JSON.stringify(chunk)}\n\n`;
}
