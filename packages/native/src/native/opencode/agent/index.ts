/**
 * opencode before any of its sessions is read: its folders, its command, and what its model accepts.
 *
 * Promises: small, and loads nothing of how sessions are read before it is asked to.
 * Does not know: what a session of it contains.
 */

import { join } from "node:path";
import { moved } from "@continuo/files";
import type { Agent } from "../../format/index.ts";
import { itself, MOST_IMAGE_TYPES } from "../../kit/index.ts";

export const opencodeAgent: Agent = {
  name: "opencode",
  adapterFormat: "opencode",
  homeVariable: "XDG_DATA_HOME",
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
  format: async () => (await import("../index.ts")).opencodeFormat,
};
