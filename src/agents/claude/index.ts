/**
 * Sessions of Claude Code: where they lie, what is in them, what it would send to the model.
 *
 * Promises: those of the reader port. The format is written down in docs/formats/claude.md; rules were seen
 * by running 2.1.330 and 2.1.197.
 * Does not know: other agents, or who may write when.
 */

import type { AgentReader } from "../reader/index.ts";
import { findSessions, recogniseFile } from "./find.ts";
import { modelView } from "./model-view.ts";
import { openSession } from "./open.ts";
import { claudeFolders } from "./places.ts";
import { skimSession } from "./skim.ts";
import { trashPlan } from "./trash-plan.ts";

// For the driver.
export { toBlock, toBlocks, toToolResult } from "./blocks.ts";
export { claudeForker } from "./fork.ts";
export { readLiveSessions } from "./live.ts";
export { usageOf } from "./messages.ts";
export { claudeFolders } from "./places.ts";
export { isToolResult } from "./records.ts";
export { claudeRepairer } from "./repair.ts";
export { toNativeContent } from "./to-blocks.ts";
export { claudeWitness } from "./witness.ts";
export { claudeWriter } from "./writer.ts";

export const claudeReader: AgentReader = {
  agent: "claude",
  folders: (places) => [claudeFolders(places).projects],
  find: findSessions,
  recognise: recogniseFile,
  skim: skimSession,
  open: openSession,
  modelView,
  trashPlan,
};
