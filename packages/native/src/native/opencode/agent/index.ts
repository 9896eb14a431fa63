/**
 * The facts about opencode that need no session: its folders, its command, and what its model accepts.
 *
 * Promises: small, and loads the code that reads sessions only on request.
 * Does not know: the content of its sessions.
 */

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { moved, type Places } from "@continuo/files";
import type { Agent } from "../../format/index.ts";
import { itself, MOST_IMAGE_TYPES } from "../../kit/index.ts";

export const opencodeAgent: Agent = {
  name: "opencode",
  adapterFormat: "opencode",
  homeVariable: "XDG_DATA_HOME",
  variablePrefix: "OPENCODE_",
  homes: ({ home, env }) => [
    join(home, ".local", "share", "opencode"),
    ...moved(env.XDG_DATA_HOME, "opencode"),
  ],
  resumeCommand: ({ sessionId }) => ["opencode", "--session", sessionId],
  accepts: {
    maxToolNameChars: 64,
    takenForCopyOf: itself,
    imagesInErrors: false,
    imageUrls: true,
    imageTypes: MOST_IMAGE_TYPES,
    files: "all",
    fileNames: true,
    droppedStart: null,
    oneTextInResults: true,
    namesModel: false,
    vendor: null,
    textCall: null,
  },
  // These files can name plugins, tools, MCP servers and formatters. In 1.18.33, a second part of opencode reads them
  // too, and has no setting to leave them out.
  projectFiles: ["opencode.json", "opencode.jsonc", ".opencode"],
  isTrusted: () => false,
  mcpServers: {
    path: settingsFile,
    language: "json",
    group: "mcp",
    entry: ({ command, args, env }) => ({
      type: "local",
      command: [command, ...args],
      ...(Object.keys(env).length === 0 ? {} : { environment: env }),
      enabled: true,
    }),
  },
  acp: {
    label: "opencode",
    args: ["acp"],
    install: "npm install -g opencode-ai",
    // `drivers/acp/opencode-policies.ts` makes `safe` and `ask`, because they depend on the person's own files. These
    // files name the MCP servers; a project's files could name others, so they are left out.
    holds: { untrusted: { env: { OPENCODE_DISABLE_PROJECT_CONFIG: "1" } } },
    followsProjects: true,
  },
  format: async () => (await import("../index.ts")).opencodeFormat,
};

function settingsFile({ home, env }: Places): string {
  const folder = join(env.XDG_CONFIG_HOME ? resolve(env.XDG_CONFIG_HOME) : join(home, ".config"), "opencode");
  const commented = join(folder, "opencode.jsonc");
  return existsSync(commented) ? commented : join(folder, "opencode.json");
}
