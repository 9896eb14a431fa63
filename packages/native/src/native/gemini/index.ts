/**
 * Sessions of Gemini CLI: their places, their content, and what Gemini CLI sends to its model.
 *
 * `docs/formats/gemini.md` describes the format; the rules were observed in 0.61.0.
 *
 * Promises: those of `native/kit`.
 * Does not know: other agents, or who may write when.
 */

import type { AgentFormat } from "../format/index.ts";
import { knownUpdatedAt, rememberedUpdatedAt } from "../kit/index.ts";
import { openByScan } from "../scanning/index.ts";
import { findBatches, findSessions, recogniseFile } from "./find.ts";
import { geminiLines } from "./lines.ts";
import { modelView } from "./model-view.ts";
import { geminiFolders } from "./places.ts";
import { keepSafe } from "./safety-copies.ts";
import { geminiScan } from "./scan.ts";
import { skimSession } from "./skim.ts";
import { trashPlan } from "./trash-plan.ts";

export const geminiFormat: AgentFormat = {
  agent: "gemini",
  folders: (places) => [geminiFolders(places).projects],
  find: findSessions,
  findBatches,
  recognise: recogniseFile,
  skim: skimSession,
  updatedAt: (found, options) => rememberedUpdatedAt(found, options, skimSession),
  knownUpdatedAt,
  lines: geminiLines,
  open: openByScan(geminiScan),
  firstMessages: async (found) => await (await import("./first-messages.ts")).readFirstMessages(found),
  keepSafe,
  beforeResume: async (...given) => await (await import("./before-resume.ts")).beforeResume(...given),
  afterEnd: async (...given) => await (await import("./clean-up.ts")).afterEnd(...given),
  modelView,
  trashPlan,
  writer: async () => (await import("./writer.ts")).geminiWriter,
  forker: async () => (await import("./fork.ts")).geminiForker,
  repairer: async () => ({ of: "lines", repairer: (await import("./repair.ts")).geminiRepairer }),
  visibility: async () => (await import("./visibility.ts")).geminiVisibility,
  retention: async () => (await import("./retention.ts")).geminiRetention,
  relocate: async () => (await import("./relocate.ts")).relocate,
};

export type { GeminiCause } from "./hidden-causes.ts";
export { keepSafe };
