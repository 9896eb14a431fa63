/**
 * Sessions of pi: where they are, what they contain, what pi sends to its model.
 *
 * `docs/formats/pi.md` describes versions 1 to 3 of the format; the rules were observed in 0.73.1, 0.87.1 and 1.5.2.
 *
 * Promises: those of `native/kit`. A file of an old version is read as it is, although pi itself rewrites such a
 * file.
 * Does not know: how to run pi, other agents, who may write when.
 */

import type { AgentFormat } from "../format/index.ts";
import { knownUpdatedAt, rememberedUpdatedAt } from "../kit/index.ts";
import { openByScan } from "../scanning/index.ts";
import { findBatches, findSessions, recogniseFile } from "./find.ts";
import { piLines } from "./lines.ts";
import { OWN_WORDS } from "./messages.ts";
import { modelView } from "./model-view.ts";
import { piFolders } from "./places.ts";
import { piScan } from "./scan.ts";
import { skimSession } from "./skim.ts";
import { trashPlan } from "./trash-plan.ts";

export const piFormat: AgentFormat = {
  agent: "pi",
  folders: (places) => {
    const { sessions, chosen } = piFolders(places);
    return chosen === null ? [sessions] : [sessions, chosen];
  },
  find: findSessions,
  findBatches,
  recognise: recogniseFile,
  skim: skimSession,
  updatedAt: (found, options) => rememberedUpdatedAt(found, options, skimSession),
  knownUpdatedAt,
  ownWords: OWN_WORDS,
  lines: piLines,
  open: openByScan(piScan),
  modelView,
  trashPlan,
  writer: async () => (await import("./writer.ts")).piWriter,
  forker: async () => (await import("./fork.ts")).piForker,
  repairer: async () => ({ of: "lines", repairer: (await import("./repair.ts")).piRepairer }),
  visibility: async () => (await import("./visibility.ts")).piVisibility,
  relocate: async () => (await import("./relocate.ts")).relocate,
};

export { toBlocks } from "./blocks.ts";
export { recogniseFile } from "./find.ts";
export type { PiCause } from "./hidden-causes.ts";
export { toMessage } from "./messages.ts";
export { toUsage } from "./usage.ts";
