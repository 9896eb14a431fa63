/**
 * Sessions of Claude Code: where they are, what they contain, what Claude Code sends to its model.
 *
 * `docs/formats/claude.md` describes the format; the rules were observed in 2.1.330 and 2.1.197.
 *
 * Promises: those of `native/kit`.
 * Does not know: other agents, or who may write when.
 */

import type { AgentFormat } from "../format/index.ts";
import { knownUpdatedAt, rememberedUpdatedAt } from "../kit/index.ts";
import { openByScan } from "../scanning/index.ts";
import { findBatches, findSessions, recogniseFile } from "./find.ts";
import { claudeLines } from "./lines.ts";
import { processesWith, sessionOfProcess } from "./live.ts";
import { modelView } from "./model-view.ts";
import { claudeFolders } from "./places.ts";
import { claudeScan } from "./scan.ts";
import { sidecarTitles } from "./sidecar-files.ts";
import { skimSession } from "./skim.ts";
import { trashPlan } from "./trash-plan.ts";

export const claudeFormat: AgentFormat = {
  agent: "claude",
  folders: (places) => [claudeFolders(places).projects],
  find: findSessions,
  findBatches,
  recognise: recogniseFile,
  processesWith: (sessionId, places) => processesWith(claudeFolders(places).running, sessionId),
  sessionOfProcess: (pid, places) => sessionOfProcess(claudeFolders(places).running, pid),
  skim: skimSession,
  titlesBeside: async () => sidecarTitles(),
  updatedAt: (found, options) => rememberedUpdatedAt(found, options, skimSession),
  knownUpdatedAt,
  lines: claudeLines,
  open: openByScan(claudeScan),
  modelView,
  trashPlan,
  writer: async () => (await import("./writer.ts")).claudeWriter,
  forker: async () => (await import("./fork.ts")).claudeForker,
  repairer: async () => ({ of: "lines", repairer: (await import("./repair.ts")).claudeRepairer }),
  visibility: async () => (await import("./visibility.ts")).claudeVisibility,
  retention: async () => (await import("./retention.ts")).claudeRetention,
  relocate: async () => (await import("./relocate.ts")).relocate,
};

/** See `visibility.ts`. */
export async function customTitleOf(path: string): Promise<string | null> {
  return await (await import("./visibility.ts")).customTitleOf(path);
}

export { toBlock, toBlocks, toToolResult } from "./blocks.ts";
export { recogniseFile } from "./find.ts";
export type { ClaudeCause } from "./hidden-causes.ts";
export { readLiveSessions } from "./live.ts";
export { usageOf } from "./messages.ts";
export { claudeFolders, projectFolderOf, projectNameOf } from "./places.ts";
export { isToolResult } from "./records.ts";
export { toNativeContent } from "./to-blocks.ts";
