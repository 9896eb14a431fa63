/** Policies of ACP agents, as data. An agent that asks before it acts needs no such data. Pure. */

import { type AgentName, ContinuoError, type PermissionPolicy } from "@continuo/core/model";
import { isJson, type Json, type Places } from "@continuo/files";
import type { AcpHold } from "@continuo/native";
import type { FolderTrust } from "../trust/index.ts";
import { askingEnvironment, SAFE_AGENT, safeEnvironment } from "./opencode-policies.ts";

/** The environment can depend on the person's own files. */
export interface AcpPolicy extends Omit<AcpHold, "env"> {
  readonly env?: NonNullable<AcpHold["env"]> | ((places: Places) => NonNullable<AcpHold["env"]>);
}

/** The value `null` means that nothing can enforce the policy. */
export type AcpPolicies = Readonly<Partial<Record<PermissionPolicy, AcpPolicy | null>>>;

/**
 * Policies that depend on the person's own files, and so cannot be data. All others are in `acp.holds` of the agent.
 */
export const MADE_POLICIES: Readonly<Partial<Record<AgentName, AcpPolicies>>> = {
  opencode: {
    safe: { env: safeEnvironment, mode: SAFE_AGENT },
    ask: { env: askingEnvironment },
  },
};

/** Returns the policy with which an agent is started for the trust that a folder has. */
export type AcpTrust = (by: FolderTrust["by"]) => AcpPolicy;

/** Returns a policy that applies both; where both set the same value, the second one decides. */
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

/** Errors: `unsupported` if Continuo cannot enforce the policy. */
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

/** Errors: `invalid` where `safe` needs another mode than the one that is requested. */
export function modeFor(policy: AcpPolicy, { mode, permissions, env }: ModeWish): string | undefined {
  const { mode: held } = policy;
  const needed = typeof held === "object" ? env[held.variable] || held.otherwise : held;
  if (mode === undefined || needed === undefined || permissions !== "safe") return mode ?? needed;
  if (mode === needed) return mode;
  throw new ContinuoError("invalid", `the policy safe requires the mode ${needed}: ${mode} may permit more`);
}
