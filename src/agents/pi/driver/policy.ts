/** How pi is started for a policy. Pure. Seen in 0.73.1, 0.87.1 and 1.5.2. */

import type { PermissionPolicy } from "../../../model/index.ts";

/** Of pi's own tools; those of extensions may do anything. */
export const READING_TOOLS: readonly string[] = ["read", "grep", "find", "ls"];

/** 1.5.2 keeps the tools of MCP servers, unless the list names one of such tools. There is none of this name. */
const NO_MCP = "mcp__none";

/**
 * pi asks nobody before it acts, so that it is not given what it must not use.
 *
 * @param back the tools of a session that was held to reading.
 */
export function policyArguments(
  policy: PermissionPolicy | undefined,
  back: readonly string[],
): readonly string[] {
  if (policy === "safe") return ["--tools", [...READING_TOOLS, NO_MCP].join(",")];
  return back.length === 0 ? [] : ["--tools", back.map((name) => `+${name}`).join(",")];
}

/** Whether this version keeps the tools of a session in it, and knows how to give some back. */
export function keepsTools(version: string | null): boolean {
  return Number.parseInt(version ?? "", 10) >= 1;
}
