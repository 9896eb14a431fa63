/**
 * Sessions of Codex: where they are, what they contain, what Codex sends to its model.
 *
 * `docs/formats/codex.md` describes the format; the rules were observed in 0.169.0.
 *
 * Promises: those of `native/kit`. `history_base` is followed to files of other threads in the same Codex home, or in
 * the same folder for a file elsewhere; a path inside a session is never opened.
 * Does not know: how to run Codex, other agents, who may write when.
 */

import type { AgentFormat } from "../format/index.ts";
import { openByScan } from "../scanning/index.ts";
import { filter } from "./bytes.ts";
import { find, findBatches, recognise } from "./find.ts";
import { codexLines } from "./lines.ts";
import { modelView } from "./model-view.ts";
import { codexHome, parseRolloutName, sessionFolders } from "./places.ts";
import { codexScan } from "./scan.ts";
import { knownTime, skim, updatedAt } from "./skim.ts";
import { titlesOf } from "./titles.ts";
import { trashPlan } from "./trash-plan.ts";

export const codexFormat: AgentFormat = {
  agent: "codex",
  folders: (places) => sessionFolders(codexHome(places)).map(({ path }) => path),
  find,
  findBatches,
  recognise,
  skim,
  updatedAt,
  knownUpdatedAt: knownTime,
  fileIdOf: (path) => parseRolloutName(path).fileId,
  titlesBeside: async (places) => await titlesOf(codexHome(places)),
  filter,
  lines: codexLines,
  open: openByScan(codexScan),
  modelView,
  trashPlan,
  writer: async () => (await import("./writer.ts")).codexWriter,
  forker: async () => (await import("./fork.ts")).codexForker,
  repairer: async () => ({ of: "lines", repairer: (await import("./repair.ts")).codexRepairer }),
  visibility: async () => (await import("./visibility.ts")).codexVisibility,
  relocate: async () => (await import("./relocate.ts")).relocate,
  repositoryOf: async (found) => await (await import("./relocate.ts")).repositoryOf(found),
};

export type { CodexCause } from "./hidden-causes.ts";
export { providerIn } from "./own-list.ts";
export { textParts } from "./text-authors.ts";
