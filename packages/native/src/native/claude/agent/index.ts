/**
 * Claude Code before any of its sessions is read: its folders, its command, and what its model accepts.
 *
 * Promises: small, and loads nothing of how sessions are read before it is asked to.
 * Does not know: what a session of it contains.
 */

import { join } from "node:path";
import { moved } from "@continuo/files";
import type { Agent } from "../../format/index.ts";
import { MOST_IMAGE_TYPES } from "../../kit/index.ts";

export const claudeAgent: Agent = {
  name: "claude",
  adapterFormat: "ccsdk",
  homeVariable: "CLAUDE_CONFIG_DIR",
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
  format: async () => (await import("../index.ts")).claudeFormat,
};
