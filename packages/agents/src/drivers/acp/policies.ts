/** Policies of ACP agents, as data. An agent that asks before it acts needs none. Pure. */

import { ContinuoError, type PermissionPolicy } from "@continuo/core/model";
import { isJson, type Json, type Places } from "@continuo/files";
import type { FolderTrust } from "../trust/index.ts";
import { askingEnvironment, SAFE_AGENT, safeEnvironment, WITHOUT_PROJECT } from "./opencode-policies.ts";

export interface AcpPolicy {
  /** Rules that the agent reads from a file: this flag and the path follow the command. */
  readonly rules?: { readonly flag: string; readonly text: string };
  /** Variables of the program; some must name what they turn off. */
  readonly env?: Readonly<Record<string, string>> | ((places: Places) => Readonly<Record<string, string>>);
  /** After the command. */
  readonly args?: readonly string[];
  /** The mode of the session; also set when a session is resumed. */
  readonly mode?: string | ((env: Readonly<Record<string, string>>) => string);
  /** In addition to what a session is opened with. */
  readonly meta?: Json;
}

/** `null`: nothing holds it to that. */
export type AcpPolicies = Readonly<Partial<Record<PermissionPolicy, AcpPolicy | null>>>;

/** An administrator's rules stand above those of the person (0.61.0): tools that they allow are not asked for. */
const GEMINI_RULES = `[[rule]]
toolName = "*"
decision = "deny"
priority = 1

[[rule]]
toolName = ["read_file", "read_many_files", "list_directory", "glob", "grep_search", "search_file_content", "write_todos", "update_topic"]
decision = "allow"
priority = 2
`;

export const GEMINI_POLICIES: AcpPolicies = {
  safe: {
    rules: { flag: "--admin-policy", text: GEMINI_RULES },
    // A list of servers to start, on which there is none of these.
    args: ["--allowed-mcp-server-names", "continuo-none"],
  },
};

export const OPENCODE_POLICIES: AcpPolicies = {
  safe: { env: safeEnvironment, mode: SAFE_AGENT },
  ask: { env: askingEnvironment },
};

/**
 * Left to itself it lets a model answer what it asks, and no person; its own variable names another mode. A session
 * that continues keeps its permissions until it gets other ones (2.6.0).
 */
export const CODEX_ACP_POLICIES: AcpPolicies = {
  safe: { mode: "read-only" },
  ask: { mode: ({ INITIAL_AGENT_MODE: own = "" }) => (own === "" ? "workspace-write" : own) },
  unrestricted: { mode: "agent-full-access" },
};

/** Rules in the person's settings allow more than reading without a question. */
export const CLAUDE_ACP_POLICIES: AcpPolicies = {
  safe: { meta: { claudeCode: { options: { tools: ["Read", "Glob", "Grep"], strictMcpConfig: true } } } },
};

/** pi asks nobody, and its adapter starts it without the arguments that would make it ask. */
export const PI_ACP_POLICIES: AcpPolicies = { safe: null, ask: null };

/** Returns the policy with which an agent is started for the trust that a folder has. */
export type AcpTrust = (by: FolderTrust["by"]) => AcpPolicy;

/** Driven over ACP it asks for no trust; its variable has the last word (0.61.0). */
export const GEMINI_TRUST: AcpTrust = (by) =>
  by === "agent" ? {} : { env: { GEMINI_CLI_TRUST_WORKSPACE: String(by === "person") } };

export const OPENCODE_TRUST: AcpTrust = (by) => (by === null ? { env: WITHOUT_PROJECT } : {});

export const CLAUDE_ACP_TRUST: AcpTrust = (by) =>
  by === null ? { meta: { claudeCode: { options: { settingSources: ["user"] } } } } : {};

/** Both at once. */
export function joinPolicies(one: AcpPolicy, other: AcpPolicy): AcpPolicy {
  const envOf = ({ env = {} }: AcpPolicy, places: Places) => (typeof env === "function" ? env(places) : env);
  const meta = mergeJson(one.meta ?? {}, other.meta ?? {});
  return {
    ...one,
    ...other,
    env: (places) => ({ ...envOf(one, places), ...envOf(other, places) }),
    args: [...(one.args ?? []), ...(other.args ?? [])],
    ...(Object.keys(meta).length === 0 ? {} : { meta }),
  };
}

function mergeJson(one: Json, other: Json): Json {
  const merged: Record<string, unknown> = { ...one };
  for (const [key, value] of Object.entries(other)) {
    const before = merged[key];
    merged[key] = isJson(before) && isJson(value) ? mergeJson(before, value) : value;
  }
  return merged;
}

/** Errors: `unsupported` where nothing holds the agent to it. */
export function policyOf(
  { label, policies = {} }: { readonly label: string; readonly policies?: AcpPolicies | undefined },
  policy: PermissionPolicy = "ask",
): AcpPolicy {
  const held = policies[policy];
  if (held !== null) return held ?? {};
  throw new ContinuoError(
    "unsupported",
    `${label} does not ask for permissions: it cannot be held to the policy ${policy}`,
    { hint: "Use the agent's own protocol: transport native." },
  );
}

export interface ModeWish {
  readonly mode?: string | undefined;
  readonly permissions?: PermissionPolicy | undefined;
  /** The environment of the agent's program. */
  readonly env: Readonly<Record<string, string>>;
}

/** Errors: `invalid` where `safe` needs another mode than the one that is asked for. */
export function modeFor(policy: AcpPolicy, { mode, permissions, env }: ModeWish): string | undefined {
  const needed = typeof policy.mode === "function" ? policy.mode(env) : policy.mode;
  if (mode === undefined || needed === undefined || permissions !== "safe") return mode ?? needed;
  if (mode === needed) return mode;
  throw new ContinuoError("invalid", `the policy safe requires the mode ${needed}: ${mode} may permit more`);
}
