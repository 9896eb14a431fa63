/** The settings of a thread for a policy. Seen in 0.163.0 and 0.169.0. */

import { ContinuoError, type PermissionPolicy, type ToolServer } from "@continuo/core/model";
import { isJson, type Json, textField } from "@continuo/files";
import { isRefusal } from "../process/index.ts";
import type { FolderTrust } from "../trust/index.ts";
import type { CallLimits, CodexServer } from "./server.ts";

const SANDBOXES: readonly string[] = ["read-only", "workspace-write", "danger-full-access"];

/** Makes Codex ask its client, and not a model in the place of a person. */
const ASKING = { approvalPolicy: "on-request", approvalsReviewer: "user" };

export interface ThreadPolicy {
  readonly policy?: PermissionPolicy | undefined;
  /** The name of a sandbox or of an approval policy, which replaces that of the policy. */
  readonly mode?: string | undefined;
}

/**
 * A thread keeps the sandbox and the approval policy that it had last, even if another policy set them. Therefore a
 * resumed thread gets the settings of a new thread in its folder. Errors: `invalid` if the mode allows more than
 * `safe`.
 */
export async function threadSettings(
  { policy = "ask", mode }: ThreadPolicy,
  own: () => Promise<Json>,
): Promise<Json> {
  const settings: Json =
    policy === "ask" ? await own() : policy === "safe" ? { ...ASKING, sandbox: "read-only" } : ASKING;
  if (mode === undefined) return settings;
  const isSandbox = SANDBOXES.includes(mode);
  if (policy === "safe" && isSandbox && mode !== settings.sandbox) {
    throw new ContinuoError(
      "invalid",
      `the policy safe requires the sandbox read-only: ${mode} permits more`,
    );
  }
  return { ...settings, [isSandbox ? "sandbox" : "approvalPolicy"]: mode };
}

/**
 * If a thread begins without a sandbox, Codex trusts its folder permanently; a turn without a sandbox does not have
 * this effect.
 */
export function turnSettings({ policy, mode }: ThreadPolicy): Json {
  const isChosen = mode !== undefined && SANDBOXES.includes(mode);
  return policy === "unrestricted" && !isChosen ? { sandboxPolicy: { type: "dangerFullAccess" } } : {};
}

/**
 * Returns the settings of a new thread of the folder: the configuration, and Codex's defaults for what it
 * leaves out.
 */
export async function ownSettings(server: CodexServer, cwd: string, limits: CallLimits): Promise<Json> {
  const { config } = await configOf(server, cwd, limits);
  if (!isJson(config)) return { ...ASKING, sandbox: "read-only" };
  const projects = isJson(config.projects) ? config.projects : {};
  const project = isJson(projects[cwd]) ? projects[cwd] : {};
  const usual = project.trust_level === "trusted" ? "workspace-write" : "read-only";
  const profile = textField(config, "default_permissions");
  return {
    approvalPolicy: config.approval_policy ?? "on-request",
    approvalsReviewer: textField(config, "approvals_reviewer") ?? "user",
    ...(profile === null
      ? { sandbox: textField(config, "sandbox_mode") ?? usual }
      : { permissions: profile }),
  };
}

/**
 * Codex trusts no folder by itself; the trust that the person gave Continuo applies to this program and is not recorded
 * (0.169.0).
 */
export function trustArguments({ by, folder }: Pick<FolderTrust, "by" | "folder">): readonly string[] {
  if (by !== "person") return [];
  return ["-c", `projects={${JSON.stringify(folder)}={trust_level="trusted"}}`];
}

interface ThreadServers extends ThreadPolicy {
  readonly cwd: string;
  /** The caller's own servers. */
  readonly given: readonly ToolServer[];
}

/**
 * Adds the caller's servers to this thread. With `safe` no server starts, because each configured one is turned off.
 */
export async function serverSettings(
  server: CodexServer,
  { policy, cwd, given }: ThreadServers,
  limits: CallLimits,
): Promise<Json> {
  if (policy !== "safe") {
    if (given.length === 0) return {};
    return {
      config: Object.fromEntries(given.map((one) => [`mcp_servers.${one.name}`, toCodexServer(one)])),
    };
  }
  const { config } = await configOf(server, cwd, limits);
  const servers = isJson(config) && isJson(config.mcp_servers) ? Object.keys(config.mcp_servers) : [];
  if (servers.length === 0) return {};
  return { config: Object.fromEntries(servers.map((name) => [`mcp_servers.${name}.enabled`, false])) };
}

function toCodexServer(server: ToolServer): Json {
  if ("url" in server) return { url: server.url, http_headers: server.headers };
  const { command, args, env } = server;
  return { command, args, env };
}

/** If a version does not report its configuration, it gets the settings that ask most often. */
async function configOf(server: CodexServer, cwd: string, limits: CallLimits): Promise<Json> {
  try {
    return await server.call("config/read", { cwd }, limits);
  } catch (error) {
    if (isRefusal(error)) return {};
    throw error;
  }
}
