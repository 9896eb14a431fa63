/** The arguments of pi for a policy. Pure. Seen in 0.73.1, 0.87.1 and 1.5.2. */

import type { PermissionPolicy } from "@continuo/core/model";
import { assertHoldable, type FolderTrust } from "../trust/index.ts";

/** The tools of pi itself that only read; those of extensions may do anything. */
export const READING_TOOLS: readonly string[] = ["read", "grep", "find", "ls"];

/** 1.5.2 keeps the tools of MCP servers, unless the list names a tool of a server. No tool has this name. */
const NO_MCP = "mcp__none";

/**
 * pi asks nobody before it acts, so it does not get the tools that it must not use.
 *
 * @param options `back`: the tools of a session that was restricted to reading
 */
export function policyArguments(
  policy: PermissionPolicy | undefined,
  { back, version }: { readonly back: readonly string[]; readonly version: string | null },
): readonly string[] {
  if (policy === "safe") {
    const noServers = hasServers(version) ? ["--no-mcp"] : [];
    return [...noServers, "--tools", [...READING_TOOLS, NO_MCP].join(",")];
  }
  return back.length === 0 ? [] : ["--tools", back.map((name) => `+${name}`).join(",")];
}

/**
 * Returns true if the extension that asks is needed: under `safe` pi has only tools that read, and
 * `unrestricted` asks nobody.
 */
export function asksPerson(policy: PermissionPolicy = "ask"): boolean {
  return policy === "ask";
}

/** Returns true if this version stores in a session which tools it has, and can give it some of them back. */
export function keepsTools(version: string | null): boolean {
  return Number.parseInt(version ?? "", 10) >= 1;
}

/** True if this version starts MCP servers unless a flag forbids it (1.0.4). */
function hasServers(version: string | null): boolean {
  return keepsTools(version);
}

/**
 * pi asks for trust only on its own screen, so a program that drives pi has to pass the trust as an argument. Errors:
 * `untrusted` if this version of pi does not know trust, and the project has something that pi would run.
 */
export function trustArguments(trust: FolderTrust, version: string | null): readonly string[] {
  if (!keepsTools(version)) {
    assertHoldable("This version of pi", trust);
    return [];
  }
  if (trust.by === "agent") return [];
  return [trust.by === "person" ? "--approve" : "--no-approve"];
}
