/** A model, called directly. */

import { randomUUID } from "node:crypto";
import {
  type Agent,
  type AgentCapabilities,
  type AgentRequest,
  type AgentResult,
  ContinuoError,
  type ExecuteOptions,
  type Message,
  NO_CAPABILITIES,
  present,
} from "@continuo/core/model";
import type { LanguageModel, ToolSet } from "ai";
import { toModelMessages } from "./messages.ts";
import { createStreamFold, errorText, toUsage } from "./stream.ts";

export interface ModelAgentOptions {
  /** A model of any provider of the `ai` package. */
  readonly model: LanguageModel;
  /** The key of a session's native references, and what its events are signed with; `model` where none is given. */
  readonly name?: string;
  /** Comes before the system messages of the transcript. */
  readonly instructions?: string;
  readonly tools?: ToolSet;
  /** Answers within one turn, each after the results of the one before; 20 where none is given. */
  readonly maxSteps?: number;
}

const MAX_STEPS = 20;

/**
 * Keeps nothing between turns: it is always given the transcript. What the caller passes as `adapterOpts`
 * goes to `streamText` as it is (`temperature`, `providerOptions`, …).
 */
export class ModelAgent implements Agent {
  readonly name: string;
  readonly #options: ModelAgentOptions;

  constructor(options: ModelAgentOptions) {
    this.name = options.name ?? "model";
    this.#options = options;
  }

  async capabilities(): Promise<AgentCapabilities> {
    return { ...NO_CAPABILITIES, native: false };
  }

  /** Errors: `agent_missing` without the `ai` package, `native_unavailable`, `agent_failed`. */
  async execute(
    request: AgentRequest,
    { signal, onEvent, ...settings }: ExecuteOptions,
  ): Promise<AgentResult> {
    if (request.nativeRef !== undefined) {
      throw new ContinuoError("native_unavailable", "a model that is called directly has no native sessions");
    }
    const { streamText, stepCountIs } = await loadAi();
    const { model, instructions, tools, maxSteps = MAX_STEPS } = this.#options;
    const made = toModelMessages([...(request.transcript?.messages ?? []), inputOf(request)]);
    const system = [...(instructions === undefined ? [] : [instructions]), ...made.instructions].join("\n\n");
    for (const [kind, count] of Object.entries(made.leftOut)) {
      const message = `Not sent to the model: ${count} ${kind}.`;
      await onEvent({ type: "diagnostics", message, details: { leftOut: { [kind]: count } } });
    }
    const { fullStream } = streamText({
      ...settings,
      model,
      messages: [...made.messages],
      ...(system === "" ? {} : { instructions: system }),
      ...present({ tools }),
      stopWhen: stepCountIs(maxSteps),
      abortSignal: signal,
      // Called with the errors of the stream; without it they are printed.
      onError: () => undefined,
    });
    const fold = createStreamFold(randomUUID);
    let result: AgentResult = {};
    for await (const part of fullStream) {
      for (const event of fold.take(part)) await onEvent(event);
      if (part.type === "error") throw failed(part.error);
      if (part.type === "finish") result = { stopReason: part.finishReason, usage: toUsage(part.totalUsage) };
    }
    signal.throwIfAborted();
    return result;
  }
}

function inputOf({ input, run }: AgentRequest): Message {
  return { id: `input ${run.runId}`, role: "user", content: input, metadata: {} };
}

function failed(error: unknown): ContinuoError {
  const { statusCode } = (error ?? {}) as { readonly statusCode?: unknown };
  return new ContinuoError("agent_failed", `the model did not answer: ${errorText(error)}`, {
    cause: error,
    details: typeof statusCode === "number" ? { statusCode } : {},
  });
}

async function loadAi(): Promise<typeof import("ai")> {
  try {
    return await import("ai");
  } catch (cause) {
    throw new ContinuoError("agent_missing", "cannot call a model: the package `ai` is not installed", {
      hint: "Run `npm install ai`.",
      cause,
    });
  }
}
