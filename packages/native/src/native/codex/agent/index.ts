/**
 * Codex before any of its sessions is read: its folders, its command, and what its model accepts.
 *
 * Promises: small, and loads nothing of how sessions are read before it is asked to.
 * Does not know: what a session of it contains.
 */

import { join } from "node:path";
import { moved } from "@continuo/files";
import type { Agent } from "../../format/index.ts";
import { itself, MOST_IMAGE_TYPES } from "../../kit/index.ts";

export const codexAgent: Agent = {
  name: "codex",
  adapterFormat: "codex",
  homeVariable: "CODEX_HOME",
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
  format: async () => (await import("../index.ts")).codexFormat,
};
