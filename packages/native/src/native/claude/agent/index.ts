/**
 * The facts about Claude Code that need no session: its folders, its command, and what its model accepts.
 *
 * Promises: small, and loads the code that reads sessions only on request.
 * Does not know: the content of its sessions.
 */

import { join, resolve } from "node:path";
import { moved, type Places } from "@continuo/files";
import { type Agent, objectIn, readRecord, serverEntry } from "../../format/index.ts";
import { MOST_IMAGE_TYPES } from "../../kit/index.ts";

function settingsFile({ home, env }: Places): string {
  return join(env.CLAUDE_CONFIG_DIR ? resolve(env.CLAUDE_CONFIG_DIR) : home, ".claude.json");
}

export const claudeAgent: Agent = {
  name: "claude",
  adapterFormat: "ccsdk",
  homeVariable: "CLAUDE_CONFIG_DIR",
  variablePrefix: "CLAUDE_",
  homes: ({ home, env }) => [
    join(home, ".claude"),
    join(home, ".claude.json"),
    ...moved(env.CLAUDE_CONFIG_DIR),
  ],
  resumeCommand: ({ sessionId }) => ["claude", "--resume", sessionId],
  accepts: {
    maxToolNameChars: 64,
    takenForCopyOf: (callId) => callId.replace(/_\d+$/u, ""),
    imagesInErrors: false,
    imageUrls: false,
    imageTypes: MOST_IMAGE_TYPES,
    files: "documents",
    fileNames: true,
    droppedStart: null,
    oneTextInResults: false,
    namesModel: true,
    vendor: "anthropic",
    textCall: null,
  },
  // These files can name hooks, `apiKeyHelper`, rules, MCP servers and plugins. Claude Code leaves out the project's
  // memory, skills and commands together with them (2.1.330).
  projectFiles: [
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
  isTrusted,
  mcpServers: {
    path: settingsFile,
    language: "json",
    group: "mcpServers",
    entry: (server) => ({ type: "stdio", ...serverEntry(server) }),
  },
  acp: {
    label: "Claude Code (through claude-agent-acp)",
    program: "claude-agent-acp",
    args: [],
    install: "npm install -g @agentclientprotocol/claude-agent-acp",
    holds: {
      // This list limits the tools, because rules in the person's settings can allow more than reading without a
      // question.
      safe: { meta: { claudeCode: { options: { tools: ["Read", "Glob", "Grep"], strictMcpConfig: true } } } },
      untrusted: { meta: { claudeCode: { options: { settingSources: ["user"] } } } },
    },
  },
  format: async () => (await import("../index.ts")).claudeFormat,
};

/** `projects[FOLDER].hasTrustDialogAccepted` of `.claude.json`: the answer to its dialog. Seen in 2.1.330. */
function isTrusted(folders: readonly string[], places: Places): boolean {
  const projects = objectIn(readRecord(settingsFile(places)).projects);
  return folders.some((folder) => objectIn(projects[folder]).hasTrustDialogAccepted === true);
}
