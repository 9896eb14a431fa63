/**
 * A made-up agent, which shows what is needed to add one, by the steps of docs/formats/README.md.
 *
 * A session is `~/.toy/ID.toy`, with one JSON object per line: `{ toy: 1, id, cwd, at, title? }`, then `{ at, by:
 * "person" | "toy" | "tool", blocks }`. A session has no branches.
 */

import { join } from "node:path";
import { moved } from "@continuo/files";
import { itself, MOST_IMAGE_TYPES } from "@continuo/native/kit";
import type { Agent } from "../../packages/native/src/native/format/index.ts";
import { TOY } from "./places.ts";

export const toyAgent: Agent = {
  name: TOY,
  adapterFormat: "toy",
  homeVariable: "TOY_HOME",
  variablePrefix: "TOY_",
  homes: ({ home, env }) => [join(home, ".toy"), ...moved(env.TOY_HOME)],
  resumeCommand: ({ sessionId }) => ["toy", "--resume", sessionId],
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
    namesModel: true,
    vendor: null,
    textCall: null,
  },
  projectFiles: [],
  isTrusted: () => false,
  mcpServers: null,
  acp: null,
  format: async () => (await import("./format.ts")).toyFormat,
};
