/** Configuration as the commands use it: all files and flags merged, with the defaults. */

import { AGENT_NAMES, type OnMissing } from "@continuo/core/model";
import type { S3Settings } from "@continuo/store";
import type { FileMcpServers } from "./mcp-schema.ts";
import type { ServerLimitSettings } from "./server-limits.ts";

export type PermissionPolicy = "ask" | "safe" | "unrestricted";
export type Transport = "native" | "acp";
export type ContinuationMode = "auto" | "native" | "replay" | false;

export interface SessionSettings {
  readonly resumeId: "auto" | "load" | "resume";
  readonly continueLast: "auto" | "list" | "agent";
  readonly onMissing: OnMissing;
  /** True if sessions continue without `--continue` too; `null` if no file or flag decides it. */
  readonly alwaysContinue: boolean | null;
}

/** The largest part of the earlier messages that an agent receives; no limit by default. */
export interface ContextSettings {
  readonly limit?: number;
  readonly maxMessages?: number;
  readonly maxChars?: number;
  readonly maxTokensApprox?: number;
}

export interface PermissionSettings {
  readonly policy: PermissionPolicy;
  /** A question that is not answered in this time is denied. */
  readonly timeoutMs: number;
}

/** An object without a prototype, so that no agent is found under a name such as `constructor`. */
export function agentsByName(agents: Iterable<AgentSettings>): Record<string, AgentSettings> {
  const named: Record<string, AgentSettings> = Object.create(null);
  for (const settings of agents) named[settings.name] = settings;
  return named;
}

/** The limits of one turn; no limit by default. */
export interface BudgetSettings {
  readonly maxTokens?: number;
  readonly maxCostUsd?: number;
  readonly maxToolCalls?: number;
  readonly maxDurationMs?: number;
}

/** A model that Continuo calls itself. */
export type ModelSettings = {
  readonly model: string;
  /** The environment variable that contains the key. */
  readonly keyEnv?: string;
  /** The number of tokens in the model's context window; if left out, its server is asked, or its name decides. */
  readonly window?: number;
  readonly instructions?: string;
} & (
  | { readonly type: "openai"; readonly url: string }
  | { readonly type: "anthropic"; readonly url?: string }
);

export interface AgentSettings {
  /** The agent is this model; without it, the agent is a program. */
  readonly endpoint?: ModelSettings;
  /** The variables that the agent inherits; `null`: all of them in a trusted folder, those of a list elsewhere. */
  readonly environment: "pass" | "deny" | null;
  readonly name: string;
  /** A name on the search path or an absolute path; `null`: the agent's own program. */
  readonly command: string | null;
  readonly args: readonly string[];
  /** `null` removes a variable. */
  readonly env: Readonly<Record<string, string | null>>;
  readonly model: string | null;
  /** `null`: the best one for this agent. */
  readonly transport: Transport | null;
  /** The version of ACP that is requested; the driver's default if it is left out. */
  readonly protocol?: 1 | 2;
  readonly session: SessionSettings;
  readonly permissions: PermissionSettings;
  readonly budget: BudgetSettings;
  readonly context: ContextSettings;
}

/** Settings of an agent from flags; the files decide settings that are left out. */
export interface AgentFlags {
  readonly model?: string;
  readonly transport?: Transport;
  readonly session?: Partial<SessionSettings>;
  readonly permissions?: Partial<PermissionSettings>;
  readonly budget?: BudgetSettings;
  readonly context?: ContextSettings;
}

export interface ConfigurationFlags {
  readonly agent?: string;
  readonly continuation?: ContinuationMode;
  /** The flags of the agent of the conversation. */
  readonly settings?: AgentFlags;
}

export interface ConfigurationProblem {
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  readonly column: number;
  /** `agents.claude.modle`; empty for the file as a whole. */
  readonly key: string;
  readonly message: string;
  /** A known key with a similar name. */
  readonly suggestion: string | null;
}

/** A project's file that sets guarded keys, and was not trusted with `continuo trust` in its present form. */
export interface UntrustedFile {
  readonly file: string;
  /** The folder for `continuo trust`. */
  readonly folder: string;
  /** The keys that are not used, such as `agents.claude.command`. */
  readonly keys: readonly string[];
  /** `changed`: the file was trusted with other content. */
  readonly state: "never trusted" | "changed";
}

/** An endpoint with the API of OpenAI. */
export interface EndpointSettings {
  readonly url: string;
  readonly model: string;
  /** The environment variable that contains the key. */
  readonly apiKeyEnv?: string;
}

/** A model that writes notes: at an endpoint with the API of OpenAI, or one of Anthropic. */
export type NoteWriterSettings =
  | { readonly type: "openai"; readonly url: string; readonly model: string; readonly keyEnv?: string }
  | { readonly type: "anthropic"; readonly model: string; readonly keyEnv?: string };

/** A setting that is left out has the library's default. */
export interface LiveConfiguration {
  readonly adaptiveBatching?: boolean;
  readonly backpressure?: boolean;
  readonly replayNightly?: boolean;
  /** The name of an agent, or a model. */
  readonly noteWriter?: string | NoteWriterSettings;
  readonly embedder?: EndpointSettings & { readonly threshold?: number };
  readonly transcriber?: EndpointSettings;
  readonly keepAudio?: boolean;
  readonly frameDays?: { readonly full?: number; readonly thumbnail?: number };
  readonly budget?: Pick<BudgetSettings, "maxTokens" | "maxCostUsd">;
  /** The rules by which drafts become notes. */
  readonly rules?: {
    readonly overlap?: number;
    readonly similarity?: number;
    readonly confidence?: number;
    readonly openQuestions?: number;
    readonly questionTokens?: number;
  };
  /** The depths at which levels change. */
  readonly levels?: { readonly normal?: number; readonly warning?: number; readonly critical?: number };
}

export interface ConfigurationFile {
  readonly path: string;
  readonly of: "home" | "project";
}

/** Prices in USD for a million tokens. */
export interface PriceSettings {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

export interface Configuration {
  /** The agent that a flag or a file names; `null` if none does. */
  readonly agent: string | null;
  readonly continuation: ContinuationMode;
  /** Every agent of `AGENT_NAMES`, and the agents and models that a file names. */
  readonly agents: Readonly<Record<string, AgentSettings>>;
  /** Patterns of sessions whose text is not indexed. */
  readonly indexExclude: readonly string[];
  /** `on`: a process may index in the background. */
  readonly indexBackground: "on" | "off";
  /** Limits of `continuo serve`. */
  readonly serverLimits: ServerLimitSettings;
  /** Prices of models in USD for a million tokens, by the name of the model. */
  readonly prices: Readonly<Record<string, PriceSettings>>;
  /** Settings of continuous sessions on a server of this user. */
  readonly live: LiveConfiguration;
  /** Channels in which agents may ask other agents. */
  readonly askChannels: readonly string[];
  /** MCP servers for the agents of conversations, by name, as the file has them. */
  readonly mcpServers: FileMcpServers;
  /** The address of the changelog of the releases; `null` for none. */
  readonly releaseFeed: string | null;
  /** The bucket for large blobs of the store; `null`: they stay with the database. */
  readonly blobs: { readonly s3: S3Settings } | null;
  /** The files that were read, in the order in which they were read. */
  readonly files: readonly ConfigurationFile[];
  /** Problems in the files. A file whose text or keys are wrong is not used at all. */
  readonly problems: readonly ConfigurationProblem[];
  readonly untrusted: UntrustedFile | null;
}

export const FILE_NAME = "continuo.yaml";

/** The settings without any file. */
export const DEFAULTS: Pick<AgentSettings, "session" | "permissions"> & {
  readonly continuation: ContinuationMode;
} = {
  continuation: "auto",
  session: { resumeId: "auto", continueLast: "auto", onMissing: "error", alwaysContinue: null },
  permissions: { policy: "ask", timeoutMs: 600_000 },
};

export function defaultSettings(name: string): AgentSettings {
  const { session, permissions } = DEFAULTS;
  const unsaid = { environment: null, command: null, args: [], env: {}, model: null, transport: null };
  return { name, ...unsaid, session, permissions, budget: {}, context: {} };
}

export function isKnownAgent(name: string): boolean {
  return (AGENT_NAMES as readonly string[]).includes(name);
}
