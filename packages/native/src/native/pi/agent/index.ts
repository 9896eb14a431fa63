/**
 * The facts about pi that need no session: its folders, its command, and what its model accepts.
 *
 * Promises: small, and loads the code that reads sessions only on request.
 * Does not know: the content of its sessions.
 */

import { join, resolve } from "node:path";
import { moved, type Places } from "@continuo/files";
import { type Agent, readRecord, serverEntry } from "../../format/index.ts";
import { itself, MOST_IMAGE_TYPES } from "../../kit/index.ts";

function settingsFolder({ home, env }: Places): string {
  return env.PI_CODING_AGENT_DIR ? resolve(env.PI_CODING_AGENT_DIR) : join(home, ".pi", "agent");
}

export const piAgent: Agent = {
  name: "pi",
  adapterFormat: "pi-agent",
  homeVariable: "PI_CODING_AGENT_DIR",
  variablePrefix: "PI_",
  homes: ({ home, env }) => [
    join(home, ".pi"),
    ...moved(env.PI_CODING_AGENT_DIR),
    ...moved(env.PI_CODING_AGENT_SESSION_DIR),
  ],
  // pi finds a session by its path from any folder.
  resumeCommand: ({ location }) => ["pi", "--session", location],
  accepts: {
    maxToolNameChars: 64,
    takenForCopyOf: itself,
    imagesInErrors: true,
    imageUrls: false,
    imageTypes: MOST_IMAGE_TYPES,
    files: "none",
    fileNames: true,
    droppedStart: null,
    oneTextInResults: false,
    namesModel: false,
    vendor: null,
    textCall: null,
  },
  // Extensions, packages, MCP servers (1.5.2).
  projectFiles: [
    ".pi/settings.json",
    ".pi/mcp.json",
    ".pi/extensions",
    ".pi/skills",
    ".pi/prompts",
    ".pi/SYSTEM.md",
    ".pi/APPEND_SYSTEM.md",
    ".agents/skills",
  ],
  isTrusted,
  mcpServers: {
    path: (places) => join(settingsFolder(places), "mcp.json"),
    language: "json",
    group: "mcpServers",
    // The default of pi shows no tool of a server to the model.
    entry: (server) => ({ ...serverEntry(server), exposure: "direct" }),
  },
  acp: {
    label: "pi (through pi-acp)",
    program: "pi-acp",
    args: [],
    install: "npm install -g pi-acp",
    // pi asks nobody, and its adapter starts it without the arguments that would make it ask.
    holds: { safe: null, ask: null },
  },
  format: async () => (await import("../index.ts")).piFormat,
};

/** `trust.json` in its folder: the nearest decision counts (1.5.2). */
function isTrusted(folders: readonly string[], places: Places): boolean {
  const decisions = readRecord(join(settingsFolder(places), "trust.json"));
  const nearest = folders.find((folder) => typeof decisions[folder] === "boolean");
  return nearest !== undefined && decisions[nearest] === true;
}
