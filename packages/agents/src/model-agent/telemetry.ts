/** Records calls of models as spans and metrics, by the semantic conventions of OpenTelemetry for generative AI. */

import { present } from "@continuo/core/model";
import {
  type Attributes,
  capturesMessageContent,
  createMeter,
  type Meter,
  type Metric,
  type OpenSpan,
  openSpan,
} from "@continuo/files";
import type { LanguageModel, ModelMessage, TextStreamPart, ToolSet } from "ai";

type Histograms = "gen_ai.client.operation.duration" | "gen_ai.client.token.usage";

export const MODEL_METRICS: Readonly<Record<Histograms, Metric>> = {
  "gen_ai.client.operation.duration": {
    kind: "histogram",
    unit: "s",
    says: "How long a call of a model took, by `gen_ai.operation.name`, `gen_ai.provider.name`, `gen_ai.request.model` and `error.type`.",
  },
  "gen_ai.client.token.usage": {
    kind: "histogram",
    unit: "{token}",
    says: "Tokens of a call of a model, by `gen_ai.token.type`: `input`, `output`.",
  },
};

const meter: Meter<never, Histograms> = createMeter("continuo.models", MODEL_METRICS);

/** Records the calls of one turn, which come one after another. */
export interface ModelCalls {
  /** Yields the same parts. A call that is open when the reader leaves the stream counts as failed. */
  seeing(stream: AsyncIterable<TextStreamPart<ToolSet>>): AsyncIterable<TextStreamPart<ToolSet>>;
}

export function createModelCalls(model: LanguageModel, messages: () => readonly ModelMessage[]): ModelCalls {
  const { modelId, provider } = typeof model === "string" ? { modelId: model, provider: "gateway" } : model;
  const attributes = {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": provider,
    "gen_ai.request.model": modelId,
  };
  let open: { readonly span: OpenSpan; readonly begunMs: number; text: string } | null = null;
  const end = (error?: unknown): void => {
    if (open === null) return;
    const { span, begunMs, text } = open;
    open = null;
    span.set(contents("gen_ai.output.messages", [{ role: "assistant", content: text }]));
    span.end(error === undefined ? undefined : { code: typeOf(error) });
    const failed = error === undefined ? {} : { "error.type": typeOf(error) };
    const seconds = (performance.now() - begunMs) / 1_000;
    meter.record("gen_ai.client.operation.duration", seconds, { ...attributes, ...failed });
  };
  const begin = (): void => {
    if (open !== null) return;
    const span = openSpan(`chat ${modelId}`, { kind: "client", attributes });
    span.set(contents("gen_ai.input.messages", messages()));
    open = { span, begunMs: performance.now(), text: "" };
  };
  const see = (part: TextStreamPart<ToolSet>): void => {
    if (part.type === "start-step") begin();
    if (part.type === "text-delta" && open !== null) open.text += part.text;
    if (part.type === "error") end(part.error ?? "error");
    if (part.type !== "finish-step" || open === null) return;
    const { inputTokens, outputTokens } = part.usage;
    open.span.set({
      "gen_ai.response.model": part.response.modelId,
      "gen_ai.response.finish_reasons": [part.finishReason],
      ...present({ "gen_ai.usage.input_tokens": inputTokens, "gen_ai.usage.output_tokens": outputTokens }),
    });
    for (const [type, tokens] of [
      ["input", inputTokens],
      ["output", outputTokens],
    ] as const) {
      if (tokens === undefined) continue;
      meter.record("gen_ai.client.token.usage", tokens, { ...attributes, "gen_ai.token.type": type });
    }
    end();
  };
  return {
    async *seeing(stream) {
      // The first call has begun, and may fail before the stream reports a step.
      begin();
      try {
        for await (const part of stream) {
          see(part);
          yield part;
        }
      } finally {
        end("left");
      }
    },
  };
}

/**
 * Returns the HTTP status of the provider, or `_OTHER`, so that the number of error types is bounded. The error of a
 * call that was tried again has the last status.
 */
function typeOf(error: unknown): string {
  const { statusCode, lastError } = (error ?? {}) as {
    readonly statusCode?: unknown;
    readonly lastError?: unknown;
  };
  if (typeof statusCode === "number") return String(statusCode);
  return lastError === undefined ? "_OTHER" : typeOf(lastError);
}

function contents(name: string, messages: readonly Pick<ModelMessage, "role" | "content">[]): Attributes {
  if (!capturesMessageContent()) return {};
  const told = messages.map(({ role, content }) => ({
    role,
    parts: typeof content === "string" ? [{ type: "text", content }] : content,
  }));
  return { [name]: JSON.stringify(told) };
}
