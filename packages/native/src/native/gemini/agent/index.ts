/**
 * Gemini CLI before any of its sessions is read: its folders, its command, and what its model accepts.
 *
 * Promises: small, and loads nothing of how sessions are read before it is asked to.
 * Does not know: what a session of it contains.
 */

import { join } from "node:path";
import { moved } from "@continuo/files";
import type { Agent } from "../../format/index.ts";

export const geminiAgent: Agent = {
  name: "gemini",
  adapterFormat: "gemini",
  homeVariable: "GEMINI_CLI_HOME",
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
  format: async () => (await import("../index.ts")).geminiFormat,
};
