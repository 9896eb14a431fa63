/** Defines the agents of a program: a model with tools, or a coding agent. Each run has its own agent. */

import type { RunAgentOptions } from "@continuo/agents/handoff";
import {
  type Agent,
  assertKnownOptions,
  assertNumbers,
  ContinuoError,
  type KnownOptions,
} from "@continuo/core/model";
import { estimateTokens } from "@continuo/core/transcript";
import type { ContinuationOptions } from "@continuo/store/sessions";
import type { FlexibleSchema, InferSchema, LanguageModel, ToolSet } from "ai";
import type { AgentDefinition } from "./types.ts";

export interface DefineAgentOptions<Schema extends FlexibleSchema<unknown> = FlexibleSchema<unknown>> {
  readonly name: string;
  /** A model of any provider of the `ai` package. */
  readonly model: LanguageModel;
  readonly instructions?: string;
  /** Tools of the `ai` package; those with `needsApproval` wait for `approvals.resolve`. */
  readonly tools?: ToolSet;
  /**
   * The schema of the answer, which is then the run's `value`: of zod, arktype or `jsonSchema` of the `ai` package. The
   * model receives it as JSON Schema; valibot makes one with `toStandardJsonSchema(schema)` of `@valibot/to-json-schema`.
   */
  readonly output?: Schema;
  /** The largest number of answers within one turn; 20 by default. */
  readonly maxSteps?: number;
  /**
   * `maxTokens` is the approximate number of tokens of the conversation that the model receives; the oldest messages
   * are left out. Its default, `"window"`, is three quarters of the model's window. This window is found by the model's
   * name, or from the address of `openModel`; for another model, the option `window` sets it; 128,000 by default.
   */
  readonly context?: { readonly maxTokens?: number | "window"; readonly window?: number };
}

const OPTIONS: KnownOptions<DefineAgentOptions> = {
  name: true,
  model: true,
  instructions: true,
  tools: true,
  output: true,
  maxSteps: true,
  context: true,
};

/** Errors: `usage` for an unknown option, and for an `output` that cannot become JSON Schema. */
export function defineAgent<Schema extends FlexibleSchema<unknown>>(
  options: DefineAgentOptions<Schema>,
): AgentDefinition<InferSchema<Schema>> {
  assertKnownOptions("defineAgent", options, OPTIONS);
  assertKnownOptions("context", options.context ?? {}, { maxTokens: true, window: true });
  assertModel(options);
  assertOutput(options);
  const { context: { maxTokens = "window", window } = {}, ...model } = options;
  return {
    name: options.name,
    context: async () => {
      const tokenizer = estimateTokens;
      if (maxTokens !== "window") return { maxTokensApprox: maxTokens, tokenizer };
      const { tokensFor } = await import("./model-agent.ts");
      return { maxTokensApprox: await tokensFor(options.model, window), tokenizer };
    },
    answersCalls: true,
    async open({ answerCall }) {
      const { openModelAgent } = await import("./model-agent.ts");
      return openModelAgent(model, answerCall);
    },
    // The `ai` package has checked the value against the schema.
    parse: (value) => value as InferSchema<Schema>,
  };
}

function assertModel({ name, model, maxSteps, context = {} }: Partial<DefineAgentOptions>): void {
  if (typeof name !== "string" || name === "")
    throw new ContinuoError("usage", "the name of an agent must be a text that is not empty");
  if (model === undefined) {
    throw new ContinuoError("usage", `the agent ${JSON.stringify(name)} has no model`, {
      hint: "Give it a model of the package `ai`, or that of `openModel` of `continuo/model-agent`.",
    });
  }
  assertNumbers({ maxSteps }, { maxSteps: 1 });
  if (context.maxTokens === "window") assertNumbers({ window: context.window }, { window: 1 });
  else assertNumbers(context, { maxTokens: 1, window: 1 });
}

/** The `ai` package would find it only in the first run, which would fail. */
function assertOutput({ name, output }: Pick<DefineAgentOptions, "name" | "output">): void {
  if (output === undefined || !("~standard" in output)) return;
  const { vendor, ...standard } = output["~standard"];
  if (vendor === "zod" || ("jsonSchema" in standard && standard.jsonSchema !== undefined)) return;
  throw new ContinuoError(
    "usage",
    `cannot make JSON Schema of the output of the agent ${JSON.stringify(name)}`,
    {
      hint: `Give a schema of ${vendor} that has a JSON Schema; for valibot, that is \`toStandardJsonSchema(schema)\` of \`@valibot/to-json-schema\`.`,
      details: { vendor },
    },
  );
}

export interface CodingOptions extends Omit<RunAgentOptions, "onPermission" | "name"> {
  /** The name in the program, and in `work`; the agent's own name by default. */
  readonly name?: string;
}

const LIMITS: KnownOptions<NonNullable<CodingOptions["limits"]>> = {
  startMs: true,
  openMs: true,
  callMs: true,
  silenceMs: true,
  cancelMs: true,
};
const CODING_OPTIONS: KnownOptions<CodingOptions> = {
  name: true,
  cwd: true,
  permissions: true,
  model: true,
  mode: true,
  effort: true,
  resumeBy: true,
  toolServers: true,
  editor: true,
  writeReplay: true,
  keepOpen: true,
  places: true,
  command: true,
  env: true,
  onWait: true,
  limits: true,
  writerWaitMs: true,
  isTrusted: true,
  environment: true,
  transport: true,
  protocol: true,
};

/**
 * Defines a coding agent of this machine. With `permissions: "ask"`, its questions are approvals of the program.
 * Errors: `usage` for an option that does not exist.
 */
export function coding(agent: string, options: CodingOptions): AgentDefinition {
  assertKnownOptions("coding", options, CODING_OPTIONS);
  assertKnownOptions("limits", options.limits ?? {}, LIMITS);
  const { name = agent, ...rest } = options;
  return {
    name,
    hasProcess: true,
    async open({ onPermission }) {
      const { openCodingAgent } = await import("./coding-agent.ts");
      return await openCodingAgent(agent, { ...rest, name, onPermission });
    },
  };
}

/** Returns the definition of an agent. An agent that is already open serves all runs, and stays open. */
export function toDefinition(agent: AgentDefinition | Agent): AgentDefinition {
  if ("open" in agent) return agent;
  const { name } = agent;
  const shared: Agent = {
    name,
    ...(agent.capabilities === undefined
      ? {}
      : { capabilities: (options) => agent.capabilities?.(options) ?? Promise.resolve({}) }),
    execute: (request, options) => agent.execute(request, options),
  };
  return { name, open: async () => shared };
}

/** Returns the options for the part of a session that the agent receives; everything by default. */
export async function contextOf({ context }: AgentDefinition): Promise<ContinuationOptions | undefined> {
  return typeof context === "function" ? await context() : context;
}
