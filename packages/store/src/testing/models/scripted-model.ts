/** A language model of the AI SDK that follows a script, and remembers what it was asked. */

import { assertKnownOptions, ContinuoError, type KnownOptions } from "@continuo/core/model";
import {
  type ModelFinish,
  type ModelPart,
  type ModelScript,
  type ModelUsage,
  partsOf,
  providerError,
} from "./model-script.ts";

/** One request to the model. */
export interface ModelCall {
  /** The instructions; `null` if there are none. */
  readonly instructions: string | null;
  /** Role and text of each message, such as `user: Where is my order?` and `tool: lookUp: "sent"`. */
  readonly messages: readonly string[];
  /** The names of the tools that the model may call. */
  readonly tools: readonly string[];
  /** The JSON Schema of the structured output that is asked for; `null` for a text. */
  readonly schema: unknown;
  /** The options of the request, as the AI SDK gave them. */
  readonly options: ModelRequest;
}

/** The options that the model reads, of `LanguageModelV4CallOptions` of `@ai-sdk/provider`. */
interface ModelRequest {
  readonly prompt: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly { readonly name: string }[];
  readonly responseFormat?: { readonly type: string; readonly schema?: unknown };
  readonly abortSignal?: AbortSignal;
}

export interface ScriptedModelOptions {
  /** The scripts of its answers in order, or a function that makes a script for each request. */
  readonly turns: readonly ModelScript[] | ((asked: ModelCall) => ModelScript);
  /** The name of the model; `scripted` by default. */
  readonly modelId?: string;
}

const OPTIONS: KnownOptions<ScriptedModelOptions> = { turns: true, modelId: true };

type Content =
  | { readonly type: "text" | "reasoning"; readonly text: string }
  | Extract<ModelPart, { type: "tool-call" }>;

export class ScriptedModel {
  readonly specificationVersion = "v4" as const;
  readonly provider = "scripted";
  readonly modelId: string;
  readonly supportedUrls: Record<string, RegExp[]> = {};
  /** Every request, in order. */
  readonly given: ModelCall[] = [];
  readonly #turns: ScriptedModelOptions["turns"];

  /** Errors: `usage` for an unknown option. */
  constructor(options: ScriptedModelOptions) {
    assertKnownOptions("ScriptedModel", options, OPTIONS);
    this.modelId = options.modelId ?? "scripted";
    this.#turns = options.turns;
  }

  /** Errors: that of a script which begins with `fail`; `invalid` if no script is left. */
  async doStream(request: ModelRequest): Promise<{ stream: ReadableStream<ModelPart> }> {
    const parts = this.#answer(request);
    const stream = new ReadableStream<ModelPart>({
      async pull(controller) {
        try {
          const { value, done } = await parts.next();
          if (done === true) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          controller.error(error);
        }
      },
      cancel: async () => void (await parts.return()),
    });
    return { stream };
  }

  /**
   * Returns the whole answer. Errors: as `doStream`; the error of a step `fail`; `agent_failed` for an answer without
   * an end.
   */
  async doGenerate(request: ModelRequest): Promise<{
    content: Content[];
    finishReason: ModelFinish;
    usage: ModelUsage;
    warnings: [];
  }> {
    const content: Content[] = [];
    const texts = new Map<string, string>();
    for await (const part of this.#answer(request)) {
      if (part.type === "error") throw part.error;
      if (part.type === "tool-call") content.push(part);
      if (part.type === "text-delta" || part.type === "reasoning-delta") {
        texts.set(part.id, `${texts.get(part.id) ?? ""}${part.delta}`);
      }
      if (part.type === "text-end") content.push({ type: "text", text: texts.get(part.id) ?? "" });
      if (part.type === "reasoning-end") content.push({ type: "reasoning", text: texts.get(part.id) ?? "" });
      if (part.type === "finish") {
        return { content, finishReason: part.finishReason, usage: part.usage, warnings: [] };
      }
    }
    throw new ContinuoError("agent_failed", "the answer of the model has no end");
  }

  #answer(request: ModelRequest): AsyncGenerator<ModelPart, void> {
    const asked = toCall(request);
    const place = this.given.push(asked);
    const script = typeof this.#turns === "function" ? this.#turns(asked) : this.#turns[place - 1];
    if (script === undefined) throw tooMany(place, this.#turns.length, asked);
    const [first] = script;
    if (first !== undefined && "fail" in first) throw providerError(first);
    return partsOf(script, place, request.abortSignal);
  }
}

function tooMany(place: number, count: number, { messages }: ModelCall): ContinuoError {
  const last = (messages.at(-1) ?? "nothing").slice(0, 200);
  const turns = count === 1 ? "1 turn" : `${count} turns`;
  return new ContinuoError("invalid", `the scripted model has ${turns}, and request ${place} is: ${last}`, {
    hint: "Add a turn to `turns` of the ScriptedModel, or give it a function.",
    details: { turns: count, request: place },
  });
}

function toCall(options: ModelRequest): ModelCall {
  const { prompt, tools = [], responseFormat } = options;
  const instructions = prompt.filter(({ role }) => role === "system").map(({ content }) => String(content));
  return {
    instructions: instructions.length === 0 ? null : instructions.join("\n\n"),
    messages: prompt.flatMap(({ role, content }) =>
      role === "system" ? [] : [`${role}: ${textOf(content)}`],
    ),
    tools: tools.map(({ name }) => name),
    schema: responseFormat?.type === "json" ? (responseFormat.schema ?? {}) : null,
    options,
  };
}

interface PromptPart {
  readonly type: string;
  readonly text?: string;
  readonly toolName?: string;
  readonly input?: unknown;
  readonly output?: { readonly value?: unknown };
}

function textOf(content: unknown): string {
  if (!Array.isArray(content)) return String(content);
  return content
    .map(({ type, text, toolName, input, output }: PromptPart) => {
      if (type === "tool-call") return `${toolName}(${JSON.stringify(input)})`;
      if (type === "tool-result") return `${toolName}: ${JSON.stringify(output?.value ?? output)}`;
      return text ?? `[${type}]`;
    })
    .join(" ");
}
