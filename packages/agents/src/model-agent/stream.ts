/** Converts the stream of the `ai` package to events of an agent. Pure: ids are passed in. */

import { type AgentEvent, type Block, present, type Usage } from "@continuo/core/model";
import type { LanguageModelUsage, TextStreamPart, ToolSet } from "ai";
import type { KeptMetadata } from "./messages.ts";

export type StreamPart = TextStreamPart<ToolSet>;

/** Other parts, or the end of the stream, repeat the content of these. Every unknown part is reported verbatim. */
const SILENT: ReadonlySet<string> = new Set<StreamPart["type"]>([
  "start",
  "text-start",
  "text-end",
  "tool-input-start",
  "tool-input-delta",
  "tool-input-end",
  "finish",
  "abort",
  "error",
  "ping",
  // The turn reports these as permissions.
  "tool-approval-request",
  "tool-approval-response",
]);

export interface StreamFold {
  /** Returns the events of a part of the stream. */
  take(part: StreamPart): readonly AgentEvent[];
}

interface PartDraft {
  readonly kind: "text" | "thinking";
  text: string;
  metadata?: KeptMetadata["providerMetadata"];
}

/**
 * A step is one answer of the model. Its message is reported when it is complete: before the first result of a tool
 * that it called, otherwise at the end of the step. Its calls are reported as they arrive.
 */
export function createStreamFold(newId: () => string): StreamFold {
  let messageId = newId();
  let content = createContent();
  let model: string | undefined;
  let told = false;

  const message = (stopReason?: string): AgentEvent[] => {
    const said = content.blocks();
    if (told || said.length === 0) return [];
    told = true;
    const parts = present({ model, stopReason });
    return [{ type: "message", messageId, content: said, ...parts }];
  };
  return {
    take(part) {
      switch (part.type) {
        case "start-step":
          messageId = newId();
          content = createContent();
          told = false;
          return [];
        case "text-delta":
          if (part.text === "") return [];
          content.addText(part.text);
          return [{ type: "text", delta: part.text, messageId }];
        case "reasoning-start":
        case "reasoning-delta":
        case "reasoning-end": {
          const block = content.thinking(part.id);
          if (part.providerMetadata !== undefined) {
            block.metadata = mergedMetadata(block.metadata, part.providerMetadata);
            // The block is kept even if it has no words, as a redacted one.
            content.endText();
          }
          if (part.type !== "reasoning-delta" || part.text === "") return [];
          block.text += part.text;
          content.endText();
          return [{ type: "thinking", delta: part.text, messageId }];
        }
        case "tool-call":
          content.endText();
          return [
            {
              type: "tool_call",
              toolCallId: part.toolCallId,
              toolName: part.toolName,
              toolInput: part.input,
              messageId,
            },
          ];
        case "tool-result":
          if (part.preliminary === true) return [];
          return [...message(), resultOf(part, part.output, "ok")];
        case "tool-error":
          return [...message(), resultOf(part, errorText(part.error), "error")];
        case "tool-output-denied":
          return [...message(), resultOf(part, "The tool was not allowed to run.", "denied")];
        case "finish-step":
          model = part.response.modelId;
          return [
            ...message(part.finishReason),
            { type: "usage", ...present({ usage: toUsage(part.usage) }), model },
          ];
        default:
          return SILENT.has(part.type) ? [] : [{ type: "diagnostics", details: part }];
      }
    },
  };
}

interface StepContent {
  /** Providers cut one text into several parts, such as at each citation: they are one block. */
  addText(text: string): void;
  /** After thinking or a call, the next text is another block. */
  endText(): void;
  thinking(id: string): PartDraft;
  blocks(): Block[];
}

function createContent(): StepContent {
  const drafts: PartDraft[] = [];
  const thoughts = new Map<string, PartDraft>();
  let open: PartDraft | null = null;
  const begin = (kind: PartDraft["kind"]): PartDraft => {
    const draft: PartDraft = { kind, text: "" };
    drafts.push(draft);
    return draft;
  };
  return {
    addText(text) {
      open ??= begin("text");
      open.text += text;
    },
    endText: () => {
      open = null;
    },
    thinking(id) {
      const draft = thoughts.get(id) ?? begin("thinking");
      thoughts.set(id, draft);
      return draft;
    },
    blocks: () => drafts.flatMap(blockOf),
  };
}

/** `undefined` for a provider that counts no tokens: an unknown number is not 0. */
export function toUsage(usage: LanguageModelUsage): Usage | undefined {
  const { cacheReadTokens, cacheWriteTokens, noCacheTokens } = usage.inputTokenDetails;
  const { reasoningTokens } = usage.outputTokenDetails;
  const counts = [noCacheTokens, usage.inputTokens, usage.outputTokens, usage.totalTokens];
  if (counts.every((count) => count === undefined)) return undefined;
  return present({
    inputTokens: noCacheTokens ?? usage.inputTokens ?? 0,
    outputTokens: usage.outputTokens ?? 0,
    cacheReadTokens,
    cacheWriteTokens,
    reasoningTokens,
    totalTokens: usage.totalTokens,
  });
}

export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : typeof error === "string" ? error : JSON.stringify(error);
}

function blockOf({ kind, text, metadata }: PartDraft): Block[] {
  if (kind === "text") return text === "" ? [] : [{ type: "text", text }];
  if (metadata === undefined) return text === "" ? [] : [{ type: "thinking", text }];
  const native: KeptMetadata = { providerMetadata: metadata };
  const { signature, redactedData } = (metadata.anthropic ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof redactedData === "string") {
    return [{ type: "thinking", text, redacted: true, data: redactedData, signedBy: "anthropic", native }];
  }
  if (typeof signature !== "string") return [{ type: "thinking", text, native }];
  return [{ type: "thinking", text, signature, signedBy: "anthropic", native }];
}

type Metadata = KeptMetadata["providerMetadata"];

/** Each part of a block can have other metadata; a signature comes with the last one. */
function mergedMetadata(before: Metadata | undefined, now: Metadata): Metadata {
  const merged: Metadata = { ...before };
  for (const [provider, values] of Object.entries(now)) merged[provider] = { ...merged[provider], ...values };
  return merged;
}

function resultOf(
  { toolCallId, toolName }: { readonly toolCallId: string; readonly toolName: string },
  output: unknown,
  status: "ok" | "error" | "denied",
): AgentEvent {
  const content = typeof output === "string" ? output : (JSON.stringify(output) ?? "");
  return { type: "tool_result", toolCallId, toolName, content, status };
}
