/** The files of a project that configure an agent. Each was seen to start a program, or to allow one. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { AGENT_NAMES, type AgentName } from "@continuo/core/model";
import { agentOf } from "@continuo/native";

/** Other agents bring their own list, or none. */
const FILES: Readonly<Partial<Record<AgentName, readonly string[]>>> = {
  // Hooks, `apiKeyHelper`, rules, MCP servers, plugins; with them go the project's memory, skills and commands (2.1.330).
  claude: [
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".mcp.json",
    ".claude/agents",
    ".claude/commands",
    ".claude/skills",
    "CLAUDE.md",
    ".claude/CLAUDE.md",
    "CLAUDE.local.md",
  ],
  // MCP servers, rules, hooks: Codex itself reads them in folders that it trusts only (0.169.0).
  codex: [".codex/config.toml", ".codex/hooks.json", ".codex/rules"],
  // Hooks, MCP servers, the commands that discover and call tools (0.61.0).
  gemini: [".gemini/settings.json", ".gemini/extensions", ".gemini/agents", ".gemini/skills", "GEMINI.md"],
  // Extensions, packages, MCP servers (1.5.2).
  pi: [
    ".pi/settings.json",
    ".pi/mcp.json",
    ".pi/extensions",
    ".pi/skills",
    ".pi/prompts",
    ".pi/SYSTEM.md",
    ".pi/APPEND_SYSTEM.md",
    ".agents/skills",
  ],
  // Plugins, tools, MCP servers, formatters. A second reader of them in 1.18.33 knows no way to leave them out.
  opencode: ["opencode.json", "opencode.jsonc", ".opencode"],
};

export function projectFilesOf(agent: AgentName): readonly string[] {
  return FILES[agent] ?? agentOf(agent).projectFiles ?? [];
}

/** Returns the files that trust in a folder allows, for each agent that finds some there. */
export function projectConfigurationIn(
  folder: string,
): readonly { readonly agent: AgentName; readonly files: readonly string[] }[] {
  return AGENT_NAMES.map((agent) => ({
    agent,
    files: projectFilesOf(agent).filter((name) => existsSync(join(folder, name))),
  })).filter(({ files }) => files.length > 0);
}
