/** An agent that calls a model directly. */

import { randomUUID } from "node:crypto";
import {
  type Agent,
  type AgentCapabilities,
  type AgentEvent,
  type AgentRequest,
  type AgentResult,
  type AskPermission,
  addUsage,
  assertKnownOptions,
  ContinuoError,
  type ExecuteOptions,
  type KnownOptions,
  MAX_STEPS_REACHED,
  NO_CAPABILITIES,
  present,
} from "@continuo/core/model";
import type { FlexibleSchema, LanguageModel, ModelMessage, ToolSet } from "ai";
import { askForCalls, callOf, type HeldCall } from "./approvals.ts";
import { CallKeys } from "./call-keys.ts";
import { toPrompt } from "./prompt.ts";
import { createStreamFold, errorText, toUsage } from "./stream.ts";
import { createModelCalls } from "./telemetry.ts";
import { offerOf, preparedTools } from "./tools.ts";

export interface ModelAgentOptions {
  /** A model of any provider of the `ai` package. */
  readonly model: LanguageModel;
  /** The name of the agent in events and in native references of sessions; `model` by default. */
  readonly name?: string;
  /** Comes before the system messages of the transcript. */
  readonly instructions?: string;
  /**
   * A call of a tool without `execute` ends the turn with the `stopReason` `tool-calls`. The run is completed, and the
   * result of the call is an error which says that the tool did not run; the model receives it in the next turn.
   */
  readonly tools?: ToolSet;
  /**
   * The greatest number of answers in one turn, each after the results of the previous one; 20 by default. A turn that
   * needs more ends with the `stopReason` `max_steps`, which is also the status of its run's result.
   */
  readonly maxSteps?: number;
  /** The schema of the answer (of zod, valibot, arktype, …): the answer is JSON, and the run's `value`. */
  readonly output?: FlexibleSchema<unknown>;
  /**
   * Decides about calls of tools that have `needsApproval`; `onPermission` of the caller of `execute` comes before it.
   * Without either, the calls are denied.
   */
  readonly onPermission?: AskPermission;
}

const OPTIONS: KnownOptions<ModelAgentOptions> = {
  model: true,
  name: true,
  instructions: true,
  tools: true,
  maxSteps: true,
  output: true,
  onPermission: true,
};

const MAX_STEPS = 20;

/**
 * Stores nothing between turns, because it always receives the transcript. `adapterOpts` of the caller (`temperature`,
 * `providerOptions`, …) are passed to `streamText` unchanged.
 */
export class ModelAgent implements Agent {
  readonly name: string;
  readonly #options: ModelAgentOptions;

  /** Errors: `usage` for an unknown option. */
  constructor(options: ModelAgentOptions) {
    assertKnownOptions("ModelAgent", options, OPTIONS);
    this.name = options.name ?? "model";
    this.#options = options;
  }

  async capabilities(): Promise<AgentCapabilities> {
    return { ...NO_CAPABILITIES, native: false };
  }

  /** Errors: `agent_missing` without the `ai` package, `native_unavailable`, `agent_failed`. */
  async execute(
    request: AgentRequest,
    { signal, onEvent, onPermission, onTools, heldCalls, ...settings }: ExecuteOptions,
  ): Promise<AgentResult> {
    if (request.nativeRef !== undefined) {
      throw new ContinuoError("native_unavailable", "a model that is called directly has no native sessions");
    }
    const { streamText, stepCountIs, Output, asSchema } = await loadAi();
    const { model, instructions, tools, maxSteps = MAX_STEPS, output } = this.#options;
    const { prompt, held: left, system, leftOut } = toPrompt(request, { instructions, heldCalls });
    for (const [kind, count] of Object.entries(leftOut)) {
      const message = `Not sent to the model: ${count} ${kind}.`;
      await onEvent({ type: "diagnostics", message, details: { leftOut: { [kind]: count } } });
    }
    if (tools !== undefined) await onTools?.(await offerOf(tools, asSchema));
    const starts = new Map<string, () => Promise<void>>();
    const asking = { onPermission: onPermission ?? this.#options.onPermission, onEvent, signal, starts };
    const given =
      tools === undefined ? undefined : preparedTools(tools, { keys: new CallKeys(request), starts });
    const fold = createStreamFold(randomUUID);
    const messages: ModelMessage[] = [...prompt];
    const open = new Map<string, string>();
    const calls = createModelCalls(model, () => messages);
    let steps = 0;
    let usage: AgentResult["usage"];
    for (let held: readonly HeldCall[] = left; ; ) {
      if (held.length > 0) messages.push(await askForCalls(held, asking));
      signal.throwIfAborted();
      const stream = streamText({
        ...settings,
        model,
        messages,
        ...(system === "" ? {} : { instructions: system }),
        ...present({ tools: given }),
        ...(output === undefined ? {} : { output: Output.object({ schema: strict(output) }) }),
        stopWhen: stepCountIs(Math.max(1, maxSteps - steps)),
        abortSignal: signal,
        // Without this function, the package prints the errors of the stream.
        onError: () => undefined,
      });
      const waiting: HeldCall[] = [];
      let finishReason = "";
      for await (const part of calls.seeing(stream.fullStream)) {
        for (const event of fold.take(part)) {
          noteCall(open, event);
          await onEvent(event);
        }
        if (part.type === "tool-output-denied") await starts.get(part.toolCallId)?.();
        if (part.type === "error") throw failed(part.error);
        if (part.type === "finish-step") steps++;
        if (part.type === "tool-approval-request" && part.isAutomatic !== true) waiting.push(callOf(part));
        if (part.type !== "finish") continue;
        finishReason = part.finishReason;
        const used = toUsage(part.totalUsage);
        if (used !== undefined) usage = addUsage(usage, used);
      }
      signal.throwIfAborted();
      if (waiting.length > 0 && steps < maxSteps) {
        messages.push(...(await stream.response).messages);
        held = waiting;
        continue;
      }
      for (const event of notRun(open, tools)) await onEvent(event);
      // The model had not finished: it called tools, but may not read their results.
      const stopReason =
        finishReason === "tool-calls" && steps >= maxSteps ? MAX_STEPS_REACHED : finishReason;
      const value =
        output === undefined || stopReason !== "stop" ? undefined : await readOutput(stream.output);
      return present({ stopReason, usage, value });
    }
  }
}

/** @param open calls without a result: their ids and tools */
function noteCall(open: Map<string, string>, event: AgentEvent): void {
  if (event.type === "tool_call") open.set(event.toolCallId, event.toolName);
  if (event.type === "tool_result") open.delete(event.toolCallId);
}

/**
 * Returns an error result for each call of a tool without `execute`. Without a result, such a call would look as if it
 * had been interrupted.
 */
function notRun(open: ReadonlyMap<string, string>, tools: ToolSet = {}): AgentEvent[] {
  return [...open].flatMap(([toolCallId, toolName]): AgentEvent[] => {
    const tool = tools[toolName];
    if (tool === undefined || tool.execute !== undefined) return [];
    const content = "The tool did not run: it has no `execute`.";
    return [{ type: "tool_result", toolCallId, toolName, content, status: "error" }];
  });
}

/**
 * The `ai` package takes a result of a Standard Schema that has a `value` for a checked one. Valibot's results have a
 * `value` in addition to their issues, so such a result is given on with its issues only.
 */
function strict(schema: FlexibleSchema<unknown>): FlexibleSchema<unknown> {
  if (!("~standard" in schema) || schema["~standard"].vendor === "zod") return schema;
  const standard = schema["~standard"];
  return {
    "~standard": {
      ...standard,
      validate: async (value) => {
        const result = await standard.validate(value);
        return result.issues === undefined ? result : { issues: result.issues };
      },
    },
  };
}

/** Errors: `agent_failed` for an answer that does not follow the schema. */
async function readOutput(output: PromiseLike<unknown>): Promise<unknown> {
  try {
    return await output;
  } catch (cause) {
    throw new ContinuoError("agent_failed", `the answer does not follow its schema: ${errorText(cause)}`, {
      cause,
    });
  }
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
