/**
 * The facts about Codex that need no session: its folders, its command, and what its model accepts.
 *
 * Promises: small, and loads the code that reads sessions only on request.
 * Does not know: the content of its sessions.
 */

import { join, resolve } from "node:path";
import { moved, type Places } from "@continuo/files";
import { type Agent, readRecordText, serverEntry } from "../../format/index.ts";
import { itself, MOST_IMAGE_TYPES } from "../../kit/index.ts";

function settingsFile({ home, env }: Places): string {
  return join(env.CODEX_HOME ? resolve(env.CODEX_HOME) : join(home, ".codex"), "config.toml");
}

export const codexAgent: Agent = {
  name: "codex",
  adapterFormat: "codex",
  homeVariable: "CODEX_HOME",
  variablePrefix: "CODEX_",
  homes: ({ home, env }) => [join(home, ".codex"), ...moved(env.CODEX_HOME)],
  resumeCommand: ({ sessionId }) => ["codex", "resume", sessionId],
  accepts: {
    maxToolNameChars: 64,
    takenForCopyOf: itself,
    imagesInErrors: true,
    imageUrls: true,
    imageTypes: MOST_IMAGE_TYPES,
    files: "none",
    fileNames: true,
    droppedStart: null,
    oneTextInResults: false,
    namesModel: true,
    vendor: "openai",
    textCall: "custom_tool_call",
  },
  // MCP servers, rules and hooks, which Codex itself reads only in folders that it trusts (0.169.0).
  projectFiles: [".codex/config.toml", ".codex/hooks.json", ".codex/rules"],
  isTrusted,
  mcpServers: { path: settingsFile, language: "toml", group: "mcp_servers", entry: serverEntry },
  acp: {
    label: "Codex (through codex-acp)",
    program: "codex-acp",
    args: [],
    install: "npm install -g @agentclientprotocol/codex-acp",
    keys: {
      "codex-api-key": "CODEX_API_KEY",
      "openai-api-key": "OPENAI_API_KEY",
      "api-key": "OPENAI_API_KEY",
    },
    // Without a mode, codex-acp lets a model answer the questions of Codex. A resumed session keeps its permissions
    // until it gets other ones (2.6.0).
    holds: {
      safe: { mode: "read-only" },
      ask: { mode: { variable: "INITIAL_AGENT_MODE", otherwise: "workspace-write" } },
      unrestricted: { mode: "agent-full-access" },
    },
  },
  format: async () => (await import("../index.ts")).codexFormat,
};

/** `[projects."FOLDER"]` with `trust_level = "trusted"`, as Codex writes it (0.169.0). */
function isTrusted(folders: readonly string[], places: Places): boolean {
  const text = readRecordText(settingsFile(places));
  let table: string | null = null;
  for (const line of text.split("\n")) {
    const header = /^\s*\[(.*)\]\s*(?:#.*)?$/u.exec(line)?.[1];
    if (header !== undefined) table = projectIn(header);
    else if (
      table !== null &&
      folders.includes(table) &&
      /^\s*trust_level\s*=\s*["']trusted["']/u.test(line)
    ) {
      return true;
    }
  }
  return false;
}

/** The path in `projects."PATH"` or `projects.'PATH'`. */
function projectIn(header: string): string | null {
  const [, quote, path = ""] = /^projects\.(["'])(.*)\1$/u.exec(header.trim()) ?? [];
  if (quote !== '"') return quote === undefined ? null : path;
  try {
    const value: unknown = JSON.parse(`"${path}"`);
    return typeof value === "string" ? value : null;
  } catch {
    // Codex did not write this path.
    return null;
  }
}
