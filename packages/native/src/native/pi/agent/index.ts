/**
 * pi before any of its sessions is read: its folders, its command, and what its model accepts.
 *
 * Promises: small, and loads nothing of how sessions are read before it is asked to.
 * Does not know: what a session of it contains.
 */

import { join } from "node:path";
import { moved } from "@continuo/files";
import type { Agent } from "../../format/index.ts";
import { itself, MOST_IMAGE_TYPES } from "../../kit/index.ts";

export const piAgent: Agent = {
  name: "pi",
  adapterFormat: "pi-agent",
  homeVariable: "PI_CODING_AGENT_DIR",
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
  format: async () => (await import("../index.ts")).piFormat,
};
