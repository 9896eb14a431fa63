/**
 * The arguments of Claude Code for a policy, and the tools that only read. Pure. Seen in 2.1.197 and 2.1.330.
 */

import type { PermissionPolicy } from "@continuo/core/model";
import type { FolderTrust } from "../trust/index.ts";

/** The arguments of these tools are paths and patterns; each version knows some of them. */
export const READING_TOOLS: readonly string[] = ["Read", "Glob", "Grep", "LS", "NotebookRead"];

/**
 * Rules in the person's own settings allow writing tools and commands without a question, so `safe` offers only tools
 * that read, and starts no MCP server. Files outside of the folder need a permission.
 */
export function policyArguments(policy: PermissionPolicy | undefined): readonly string[] {
  if (policy !== "safe") return [];
  return ["--permission-mode", "default", "--tools", READING_TOOLS.join(","), "--strict-mcp-config"];
}

/**
 * When another program drives Claude Code, it shows no dialog before it runs the hooks of a project and starts the
 * project's servers (2.1.330). With only the person's settings it also leaves out the project's memory, skills and
 * commands.
 */
export function trustArguments({ by }: Pick<FolderTrust, "by">): readonly string[] {
  return by === null ? ["--setting-sources", "user"] : [];
}
