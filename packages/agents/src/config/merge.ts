/** Merges one file, or the flags, with the earlier settings. Pure. */

import { present } from "@continuo/core/model";
import type {
  FileAgent,
  FileContent,
  FileContext,
  FileEndpoint,
  FileLive,
  FileNoteWriter,
} from "./schema.ts";
import {
  type AgentFlags,
  type AgentSettings,
  agentsByName,
  type ContextSettings,
  type ContinuationMode,
  defaultSettings,
  type EndpointSettings,
  type LiveConfiguration,
  type NoteWriterSettings,
} from "./settings.ts";

export interface Layers {
  readonly environment: AgentSettings["environment"];
  readonly agent: string | null;
  readonly continuation: ContinuationMode;
  readonly alwaysContinue: boolean | null;
  /** Settings for every agent, which the agent's own settings override. */
  readonly context: ContextSettings;
  readonly agents: Readonly<Record<string, AgentSettings>>;
}

/** `toPath` makes a command of the file's own folder absolute. */
export function withFile(before: Layers, content: FileContent, toPath: (command: string) => string): Layers {
  const agents = agentsByName(Object.values(before.agents));
  for (const [name, said] of Object.entries(content.agents ?? {})) {
    agents[name] = withAgent(agents[name] ?? defaultSettings(name), said, toPath);
  }
  return {
    environment: content.env ?? before.environment,
    agent: content.agent ?? before.agent,
    continuation: content.continuation ?? before.continuation,
    alwaysContinue: content.always_continue ?? before.alwaysContinue,
    context: { ...before.context, ...toContext(content.context) },
    agents,
  };
}

function withAgent(
  before: AgentSettings,
  said: FileAgent,
  toPath: (command: string) => string,
): AgentSettings {
  const { command, args, env, model, transport, protocol, session, budget, context } = said;
  const permissions = typeof said.permissions === "string" ? { policy: said.permissions } : said.permissions;
  return {
    name: before.name,
    environment: before.environment,
    command: command === undefined ? before.command : toPath(command),
    // Arguments belong only to the command in the same file.
    args: args ?? (command === undefined ? before.args : []),
    env: { ...before.env, ...env },
    model: model ?? before.model,
    transport: transport ?? before.transport,
    ...present({ protocol: protocol ?? before.protocol }),
    session: {
      ...before.session,
      ...present({
        resumeId: session?.resume_id,
        continueLast: session?.continue_last,
        onMissing: session?.on_missing,
        alwaysContinue: session?.always_continue,
      }),
    },
    permissions: {
      ...before.permissions,
      ...present({ policy: permissions?.policy, timeoutMs: permissions?.timeout_ms }),
    },
    budget: {
      ...before.budget,
      ...present({
        maxTokens: budget?.max_tokens,
        maxCostUsd: budget?.max_cost_usd,
        maxToolCalls: budget?.max_tool_calls,
        maxDurationMs: budget?.max_duration_ms,
      }),
    },
    context: { ...before.context, ...toContext(context) },
  };
}

/** A setting for all agents applies to each agent that does not have its own setting. */
export function withCommon(
  settings: AgentSettings,
  { environment, alwaysContinue, context }: Pick<Layers, "environment" | "alwaysContinue" | "context">,
): AgentSettings {
  const { session } = settings;
  return {
    ...settings,
    environment,
    session: { ...session, alwaysContinue: session.alwaysContinue ?? alwaysContinue },
    context: { ...context, ...settings.context },
  };
}

function toContext(context: FileContext | undefined): ContextSettings {
  return present({
    limit: context?.limit,
    maxMessages: context?.max_messages,
    maxChars: context?.max_chars,
    maxTokensApprox: context?.max_tokens_approx,
  });
}

export function withFlags(before: AgentSettings, flags: AgentFlags): AgentSettings {
  return {
    ...before,
    ...present({ model: flags.model, transport: flags.transport }),
    session: { ...before.session, ...present(flags.session ?? {}) },
    permissions: { ...before.permissions, ...present(flags.permissions ?? {}) },
    budget: { ...before.budget, ...present(flags.budget ?? {}) },
    context: { ...before.context, ...present(flags.context ?? {}) },
  };
}

export function toLive({
  embedder,
  transcriber,
  budget,
  frames,
  notes,
  levels,
  ...live
}: FileLive): LiveConfiguration {
  return present({
    adaptiveBatching: live.adaptive_batching,
    backpressure: live.backpressure,
    replayNightly: live.replay_nightly,
    noteWriter: typeof live.note_writer === "object" ? toNoteWriter(live.note_writer) : live.note_writer,
    keepAudio: live.keep_audio,
    frameDays:
      frames === undefined
        ? undefined
        : present({ full: frames.full_days, thumbnail: frames.thumbnail_days }),
    embedder:
      embedder === undefined
        ? undefined
        : { ...toEndpoint(embedder), ...present({ threshold: embedder.threshold }) },
    transcriber: transcriber === undefined ? undefined : toEndpoint(transcriber),
    budget:
      budget === undefined
        ? undefined
        : present({ maxTokens: budget.max_tokens, maxCostUsd: budget.max_cost_usd }),
    rules: notes === undefined ? undefined : toRules(notes),
    levels: levels === undefined ? undefined : present(levels),
  });
}

function toRules({
  open_questions: openQuestions,
  question_tokens: questionTokens,
  ...notes
}: NonNullable<FileLive["notes"]>): NonNullable<LiveConfiguration["rules"]> {
  return present({ ...notes, openQuestions, questionTokens });
}

function toNoteWriter({ key_env, ...writer }: FileNoteWriter): NoteWriterSettings {
  const key = present({ keyEnv: key_env });
  if ("anthropic" in writer) return { type: "anthropic", model: writer.anthropic, ...key };
  return { type: "openai", url: writer.url, model: writer.model, ...key };
}

function toEndpoint({ url, model, api_key_env }: FileEndpoint): EndpointSettings {
  return { url, model, ...present({ apiKeyEnv: api_key_env }) };
}
