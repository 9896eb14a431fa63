/**
 * The facts about Gemini CLI that need no session: its folders, its command, and what its model accepts.
 *
 * Promises: small, and loads the code that reads sessions only on request.
 * Does not know: the content of its sessions.
 */

import { join, resolve } from "node:path";
import { moved, type Places } from "@continuo/files";
import { type Agent, readRecord, serverEntry } from "../../format/index.ts";

/**
 * The rules of an administrator take precedence over those of the person (0.61.0): tools that they allow need no
 * permission.
 */
const READING_RULES = `[[rule]]
toolName = "*"
decision = "deny"
priority = 1

[[rule]]
toolName = ["read_file", "read_many_files", "list_directory", "glob", "grep_search", "search_file_content", "write_todos", "update_topic"]
decision = "allow"
priority = 2
`;

export const geminiAgent: Agent = {
  name: "gemini",
  adapterFormat: "gemini",
  homeVariable: "GEMINI_CLI_HOME",
  variablePrefix: "GEMINI_",
  homes: ({ home, env }) => [
    ...[join(home, ".gemini"), join(home, ".cache", ".gemini")],
    ...[...moved(env.GEMINI_CLI_HOME, ".gemini"), ...moved(env.GEMINI_CLI_HOME, ".cache", ".gemini")],
  ],
  resumeCommand: ({ sessionId }) => ["gemini", "--resume", sessionId],
  accepts: {
    maxToolNameChars: 64,
    // A call is recorded as `NAME__ID`, and sent as `ID`.
    takenForCopyOf: (callId) => callId.replace(/^.*?__/u, ""),
    imagesInErrors: true,
    imageUrls: false,
    imageTypes: ["image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"],
    files: "all",
    fileNames: false,
    droppedStart: /^\s*(?:[/?]|<session_context>|<hook_context>|$)/u,
    oneTextInResults: true,
    namesModel: true,
    vendor: null,
    textCall: null,
  },
  // These files can name hooks, MCP servers, and commands that discover and call tools (0.61.0).
  projectFiles: [
    ".gemini/settings.json",
    ".gemini/extensions",
    ".gemini/agents",
    ".gemini/skills",
    "GEMINI.md",
  ],
  isTrusted,
  mcpServers: {
    path: ({ home, env }) => join(resolve(env.GEMINI_CLI_HOME || home), ".gemini/settings.json"),
    language: "json",
    group: "mcpServers",
    entry: serverEntry,
  },
  acp: {
    label: "Gemini CLI",
    args: ["--acp"],
    install: "npm install -g @google/gemini-cli",
    keys: { "gemini-api-key": "GEMINI_API_KEY", "vertex-ai": "GOOGLE_API_KEY" },
    holds: {
      // Only the servers in this list are started, and no server has this name.
      safe: {
        rules: { flag: "--admin-policy", text: READING_RULES },
        args: ["--allowed-mcp-server-names", "continuo-none"],
      },
      // Over ACP, Gemini CLI does not ask whether to trust the folder, and this variable has priority (0.61.0).
      trusted: { env: { GEMINI_CLI_TRUST_WORKSPACE: "true" } },
      untrusted: { env: { GEMINI_CLI_TRUST_WORKSPACE: "false" } },
    },
    ownSession: { flag: "--session-id", since: "0.61.0" },
    recordsCalls: true,
    // With GEMINI_CLI_TRUST_WORKSPACE=false it starts none (0.61.0).
    toolServersNeedTrust: true,
    // Not in commands, arguments and addresses (0.61.0).
    expandsToolServers: true,
  },
  format: async () => (await import("../index.ts")).geminiFormat,
};

/** The environment, or `trustedFolders.json`, where the longest rule that fits decides (0.61.0). */
function isTrusted(folders: readonly string[], { home, env }: Places): boolean {
  if (env.GEMINI_RESTRICTED_MODE === "true" || env.GEMINI_CLI_TRUST_WORKSPACE === "false") return false;
  if (env.GEMINI_CLI_TRUST_WORKSPACE === "true") return true;
  const file =
    env.GEMINI_CLI_TRUSTED_FOLDERS_PATH ||
    join(env.GEMINI_CLI_HOME || home, ".gemini", "trustedFolders.json");
  const rules = readRecord(file);
  for (const folder of folders) {
    if (rules[folder] === "DO_NOT_TRUST") return false;
    if (rules[folder] === "TRUST_FOLDER" || rules[folder] === "TRUST_PARENT") return true;
  }
  return false;
}
