/**
 * The facts about GitHub Copilot CLI that need no session: its folders, its command, and what its model accepts.
 *
 * Promises: small, and loads the code that reads sessions only on request.
 * Does not know: the content of its sessions.
 */

import { join, resolve } from "node:path";
import { moved, type Places, parseCommented } from "@continuo/files";
import { type Agent, readRecordText, serverEntry } from "../../format/index.ts";
import { itself, MOST_IMAGE_TYPES } from "../../kit/index.ts";

/** `COPILOT_HOME` moves everything that Copilot stores. */
function copilotHome({ home, env }: Places): string {
  return env.COPILOT_HOME ? resolve(env.COPILOT_HOME) : join(home, ".copilot");
}

export const copilotAgent: Agent = {
  name: "copilot",
  adapterFormat: "copilot",
  homeVariable: "COPILOT_HOME",
  variablePrefix: "COPILOT_",
  homes: ({ home, env }) => [join(home, ".copilot"), ...moved(env.COPILOT_HOME)],
  resumeCommand: ({ sessionId }) => ["copilot", "--resume", sessionId],
  accepts: {
    maxToolNameChars: 64,
    takenForCopyOf: itself,
    imagesInErrors: false,
    imagesInResults: false,
    imageUrls: false,
    imageTypes: MOST_IMAGE_TYPES,
    files: "none",
    fileNames: true,
    droppedStart: null,
    oneTextInResults: true,
    namesModel: true,
    vendor: null,
    textCall: "custom",
  },
  // Hooks run in any folder; servers start only in a trusted one (1.0.102).
  projectFiles: [".github/hooks", ".mcp.json"],
  isTrusted,
  mcpServers: {
    path: (places) => join(copilotHome(places), "mcp-config.json"),
    language: "json",
    group: "mcpServers",
    entry: (server) => ({ type: "local", tools: ["*"], ...serverEntry(server) }),
  },
  acp: {
    label: "GitHub Copilot CLI",
    args: ["--acp"],
    install: "npm install -g @github/copilot",
    holds: {
      // With the value `true`, the variable allows everything, and also trusts the folder.
      ask: { env: { COPILOT_ALLOW_ALL: "false" } },
      safe: {
        args: ["--available-tools=view,glob,grep", "--disable-builtin-mcps"],
        env: { COPILOT_ALLOW_ALL: "false" },
      },
      unrestricted: { args: ["--allow-all"] },
      untrusted: { args: ["--no-custom-instructions"] },
    },
    followsProjects: true,
    errorWords: {
      before: "Error: ",
      retry: "Info: Request failed due to a transient API error. Retrying...",
    },
    sumsUsage: true,
    // Seen in 1.0.102, without an account.
    takesNoToolServers: true,
  },
  format: async () => (await import("../index.ts")).copilotFormat,
};

/** `trustedFolders` of its own record: the answers to its dialog (1.0.102). */
function isTrusted([folder]: readonly string[], places: Places): boolean {
  const record = parseCommented(readRecordText(join(copilotHome(places), "config.json")));
  return Array.isArray(record?.trustedFolders) && record.trustedFolders.includes(folder);
}
